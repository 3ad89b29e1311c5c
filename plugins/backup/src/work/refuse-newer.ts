import type { StoreEntry, WholeHome } from "@gantry/plugin";
import type { SnapshotReader } from "../archive/open-snapshot.ts";
import { errors } from "../errors.ts";
import { pluginOf } from "../preview/preview-restore.ts";

/** How the store writes a record: the version of its schema comes first. */
const VERSION = /^\s*\{\s*"v"\s*:\s*(\d{1,15})\s*[,}]/;

/**
 * Refuses a snapshot that a later version made: what it stores may be nothing that this one can read, and records would be there
 * and not be shown.
 *
 * @param only Names of the parts that are wanted; `undefined` for all.
 * @throws BACKUP_SNAPSHOT_TOO_NEW that names both versions, and what reading its records throws
 */
export async function refuseNewer(
  reader: SnapshotReader,
  home: Pick<WholeHome, "version" | "plugins" | "recordVersions">,
  only: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { id, gantryVersion, plugins, namespaces } = reader.manifest;
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
  const known = new Map(Object.entries(home.recordVersions()));
  const opened = new Set([...known.keys()].map(pluginOf));
  for (const { name } of namespaces) {
    const isWanted = !only || only.some((part) => pluginOf(part) === name);
    if (!isWanted || !opened.has(name)) continue;
    for await (const batch of reader.entries(name, signal))
      for (const entry of batch) refuseRecord(id, entry, known);
  }
}

function refuseRecord(
  id: string,
  { key, text }: StoreEntry,
  known: ReadonlyMap<string, number>,
): void {
  const collection = key.split(":", 2).join(":");
  const version = known.get(collection);
  if (version === undefined) return;
  const [, format] = VERSION.exec(text) ?? [];
  if (format === undefined || Number(format) <= version) return;
  const what = `records of "${collection}" in version`;
  throw errors.BACKUP_SNAPSHOT_TOO_NEW({ id, what, format, known: version });
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
