import type { SnapshotPart } from "../contract.ts";
import type { Manifest } from "./manifest.ts";

/** What only a whole restore brings back. */
const WHOLE_ONLY: readonly string[] = ["kernel", "backup"];

/** What a snapshot can bring back alone: each plugin that has records or files, and each of its kinds of records. */
export function snapshotParts(manifest: Manifest): SnapshotPart[] {
  const names = new Set([
    ...manifest.namespaces.map(({ name }) => name),
    ...manifest.files.byPlugin.map(({ plugin }) => plugin),
  ]);
  // Events and sessions of the daemon mean nothing on their own, and settings of the backup belong to where it runs.
  for (const name of WHOLE_ONLY) names.delete(name);
  return [...names].sort().flatMap((name): SnapshotPart[] => {
    const stored = manifest.namespaces.find((each) => each.name === name);
    const files = manifest.files.byPlugin.find(({ plugin }) => plugin === name);
    const whole = {
      name,
      records: stored?.records ?? 0,
      files: files?.files ?? 0,
      bytes: (stored?.bytes ?? 0) + (files?.bytes ?? 0),
    };
    const collections = (stored?.collections ?? []).map((collection) => ({
      name: `${name}:${collection.name}`,
      records: collection.records,
      files: 0,
      bytes: collection.bytes,
    }));
    return [whole, ...collections];
  });
}
