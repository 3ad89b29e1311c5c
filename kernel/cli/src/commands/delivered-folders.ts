import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Folder of the plugins that come with the daemon, relative to its bundle. */
export function deliveredFolders(): { builtinPlugins: string | undefined } {
  const folder = fileURLToPath(new URL("../../../plugins", import.meta.url));
  return { builtinPlugins: existsSync(folder) ? folder : undefined };
}
