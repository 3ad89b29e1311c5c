import type { RestorePart, RestorePreview, Snapshot } from "../contract.ts";
import { formatCount } from "./format.ts";

/** What a restore did, or would do without `--yes`. */
export type RestoreOutcome = (
  | { preview: Pick<RestorePreview, "only" | "parts" | "unsaved"> | null }
  | { ok: true; safetySnapshotId: string | null; restarts: boolean }
) & {
  /** What could not be checked before, and why. */
  warning?: string;
};

export function describeOutcome(
  { id }: Snapshot,
  outcome: RestoreOutcome,
): string[] {
  if (!("preview" in outcome)) {
    const { safetySnapshotId, restarts } = outcome;
    return [
      restarts ? "The daemon starts again with it now." : "It is restored.",
      ...(safetySnapshotId === null
        ? []
        : [`What was there before is in the snapshot ${safetySnapshotId}.`]),
    ];
  }
  const parts = outcome.preview?.parts ?? [];
  return [
    ...(outcome.preview
      ? [...parts.map(describePart), ...describeUnsaved(outcome.preview)]
      : [
          "The store of this home cannot be read; all of it would be replaced.",
        ]),
    `Nothing was changed. Add --yes to restore ${id}.`,
  ];
}

function describeUnsaved({
  unsaved,
}: Pick<RestorePreview, "unsaved">): string[] {
  if (!unsaved) return [];
  return [
    `  ${formatCount(unsaved, "item")} that the snapshot cannot hold (pipes, links that lead elsewhere): left`,
  ];
}

function describePart(part: RestorePart): string {
  const counts = (["added", "changed", "left", "removed"] as const)
    .filter((change) => part[change] > 0)
    .map((change) => `${formatCount(part[change], "item")} ${change}`);
  return `  ${part.name}: ${counts.join(", ") || "nothing"}`;
}
