import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Where the plugins and the shell are that come with the daemon, seen from its bundle. */
export function deliveredFolders(): {
  builtinPlugins: string | undefined;
  shell: string | undefined;
} {
  const existing = (path: string) => {
    const folder = fileURLToPath(new URL(path, import.meta.url));
    return existsSync(folder) ? folder : undefined;
  };
  return {
    builtinPlugins: existing("../../plugins"),
    shell: existing("../../ui/shell/dist"),
  };
}
