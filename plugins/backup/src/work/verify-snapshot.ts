import { rm } from "node:fs/promises";
import type { RehearsedPlugin, WholeHome } from "@gantry/plugin";
import type { SnapshotReader } from "../archive/open-snapshot.ts";
import { errors } from "../errors.ts";
import type { JobProgress } from "../jobs/job-runner.ts";

const MAX_NAMED = 5;

/** What a restore on trial showed. */
export interface Verification {
  /** Plugins that were active in the daemon that was started on the copy. */
  plugins: number;
  records: number;
  files: number;
}

/**
 * Restores a snapshot on trial: extracts all of it beside the home while comparing all digests and counts, and starts a daemon
 * with the same plugins on the copy. Nothing of it is left.
 *
 * @throws what reading a snapshot throws, BACKUP_DISK_FULL, BACKUP_REHEARSAL_FAILED, and the signal's reason
 */
export async function verifySnapshot(
  reader: SnapshotReader,
  home: WholeHome,
  signal: AbortSignal,
  update: (progress: JobProgress) => void,
): Promise<Verification> {
  const { id, records, files } = reader.manifest;
  const stage = await home.stage();
  try {
    await reader.extract(stage, {
      signal,
      // It is gone in a moment.
      isDurable: false,
      onProgress: (progress) => update({ ...progress, step: "checking" }),
    });
    update({ step: "rehearsing" });
    const plugins = await rehearse(id, home, stage, signal);
    return { plugins, records, files: files.count };
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

async function rehearse(
  id: string,
  home: WholeHome,
  stage: string,
  signal: AbortSignal,
): Promise<number> {
  const { plugins } = await home
    .rehearse(stage, signal)
    .catch((cause: unknown) => {
      signal.throwIfAborted();
      const reason = "it did not start";
      throw errors.BACKUP_REHEARSAL_FAILED({ id, reason }, { cause });
    });
  const broken = plugins.filter(({ state }) => state === "failed");
  if (broken.length > 0)
    throw errors.BACKUP_REHEARSAL_FAILED({ id, reason: toReason(broken) });
  return plugins.filter(({ state }) => state === "active").length;
}

function toReason(broken: readonly RehearsedPlugin[]): string {
  const named = broken
    .slice(0, MAX_NAMED)
    .map(
      ({ id, state, reason }) =>
        `${id} is ${state} (${reason ?? "no reason given"})`,
    );
  const more = broken.length - named.length;
  return named.join(", ") + (more > 0 ? ` and ${more} more` : "");
}
