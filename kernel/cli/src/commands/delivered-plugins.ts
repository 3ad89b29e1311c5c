import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Where the plugins are that come with the daemon, seen from its bundle. */
export function deliveredPlugins(): string | undefined {
  const folder = fileURLToPath(new URL("../../../plugins", import.meta.url));
  return existsSync(folder) ? folder : undefined;
}
