import type { RestorePreview } from "../contract.ts";

/** What a restore did, or would do without `--yes`. */
export type RestoreOutcome =
  | { preview: Pick<RestorePreview, "only" | "parts"> | null }
  | { ok: true; safetySnapshotId: string | null; restarts: boolean };
