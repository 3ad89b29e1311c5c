import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** `dist` folder of the shell that comes with the daemon, `undefined` if it is not built. */
export function deliveredShell(): string | undefined {
  // Sources and bundle are at the same depth.
  const folder = fileURLToPath(
    new URL("../../../ui/shell/dist", import.meta.url),
  );
  return existsSync(folder) ? folder : undefined;
}
