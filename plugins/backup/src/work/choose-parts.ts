import type { Manifest } from "../archive/manifest.ts";
import { snapshotParts } from "../archive/snapshot-parts.ts";
import { errors } from "../errors.ts";
import { pluginOf } from "../preview/preview-restore.ts";

/**
 * The parts that are asked for, each once, without kinds of records whose plugin is asked for as well. `undefined` for all.
 *
 * @throws BACKUP_ONLY_UNKNOWN for one that the snapshot does not have, or that cannot be restored alone
 */
export function chooseParts(
  manifest: Manifest,
  only: string | readonly string[] | undefined,
): string[] | undefined {
  if (only === undefined) return undefined;
  const asked = new Set(typeof only === "string" ? [only] : only);
  const known = snapshotParts(manifest).map(({ name }) => name);
  for (const name of asked)
    if (!known.includes(name))
      throw errors.BACKUP_ONLY_UNKNOWN({
        id: manifest.id,
        name,
        known: known.length > 0 ? known : "none",
      });
  return [...asked].filter(
    (name) => pluginOf(name) === name || !asked.has(pluginOf(name)),
  );
}
