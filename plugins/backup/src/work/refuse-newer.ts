import type { WholeHome } from "@gantry/plugin";
import type { Manifest } from "../archive/manifest.ts";
import { errors } from "../errors.ts";

/**
 * Refuses a snapshot that a later version made: what it stores may be nothing that this one can read, and records would be there
 * and not be shown.
 *
 * @throws BACKUP_SNAPSHOT_TOO_NEW that names both versions
 */
export function refuseNewer(
  { id, gantryVersion, plugins }: Manifest,
  home: Pick<WholeHome, "version" | "plugins">,
): void {
  const refuse = (what: string, format: string, known: string) => {
    if (isNewer(format, known))
      throw errors.BACKUP_SNAPSHOT_TOO_NEW({ id, what, format, known });
  };
  refuse("the version", gantryVersion, home.version);
  const here = home.plugins();
  for (const [plugin, version] of Object.entries(plugins)) {
    const known = here[plugin];
    if (known !== undefined)
      refuse(`the plugin "${plugin}" in version`, version, known);
  }
}

/** Compares the numbers of two versions; what is none is never newer. */
function isNewer(version: string, known: string): boolean {
  const [one, other] = [numbersOf(version), numbersOf(known)];
  if (!one || !other) return false;
  const at = one.findIndex((number, index) => number !== other[index]);
  return at >= 0 && one[at]! > other[at]!;
}

function numbersOf(version: string): number[] | undefined {
  const [, ...numbers] = /^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? [];
  return numbers.length === 0 ? undefined : numbers.map(Number);
}
