import type { OtherHome, Snapshot } from "../contract.ts";

/** Other homes that have snapshots in the same folder, the one with the newest first. */
export function listOtherHomes(
  newestFirst: readonly Pick<Snapshot, "otherHome" | "createdAt">[],
): OtherHome[] {
  const homes = new Map<string, OtherHome>();
  for (const { otherHome: name, createdAt } of newestFirst) {
    if (name === null) continue;
    const known = homes.get(name);
    if (known) known.snapshots++;
    else homes.set(name, { name, snapshots: 1, lastSnapshotAt: createdAt });
  }
  return [...homes.values()];
}

/** What to know of them and to do about it; `undefined` if there are none. */
export function describeOtherHomes(
  homes: readonly OtherHome[],
): string | undefined {
  if (homes.length === 0) return undefined;
  const names = homes.map(
    ({ name, snapshots }) =>
      `${name} (${snapshots} ${snapshots === 1 ? "snapshot" : "snapshots"})`,
  );
  return `The folder also holds snapshots of ${homes.length === 1 ? "another home" : "other homes"}: ${names.join(", ")}. This home never deletes them. Choose a folder of its own for each home.`;
}
