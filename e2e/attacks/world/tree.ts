import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** Every file below a folder: path → kind, mode and content. */
export function readTree(
  folder: string,
  isLeftOut: (path: string) => boolean = () => false,
): Map<string, string> {
  const found = new Map<string, string>();
  const visit = (path: string) => {
    const full = join(folder, path);
    const stats = lstatSync(full, { throwIfNoEntry: false });
    if (!stats || isLeftOut(path)) return;
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isDirectory()) {
      if (path !== "") found.set(path, `folder ${mode}`);
      for (const name of readdirSync(full)) visit(join(path, name));
    } else if (stats.isSymbolicLink()) {
      found.set(path, `link ${readlinkSync(full)}`);
    } else if (stats.isFile()) {
      const hash = createHash("sha256").update(readFileSync(full));
      found.set(path, `file ${mode} ${hash.digest("base64url")}`);
    } else {
      found.set(path, `special ${mode}`);
    }
  };
  visit("");
  return found;
}
