import { rm } from "node:fs/promises";
import {
  describeError,
  type RehearsedPlugin,
  type WholeHome,
} from "@gantry/plugin";
import type { SnapshotReader } from "../archive/open-snapshot.ts";
import { errors } from "../errors.ts";
import type { JobProgress } from "../jobs/job-runner.ts";
import { refuseNewer } from "./refuse-newer.ts";

const MAX_NAMED = 5;

/** What a restore on trial showed. */
export interface Verification {
  /** Plugins that were active in the daemon that was started on the copy. */
  plugins: number;
  records: number;
  files: number;
}

/** What is restored on trial, and what it is compared with. */
export interface VerificationOrder {
  reader: SnapshotReader;
  home: WholeHome;
  /** Plugins that have to be active on the copy; without a daemon to compare with, those that do not fail will do. */
  expected: readonly string[] | undefined;
  signal: AbortSignal;
  update(progress: JobProgress): void;
}

/**
 * Restores a snapshot on trial: extracts all of it beside the home while comparing all digests and counts, and starts a daemon
 * with the same plugins on the copy. Nothing of it is left.
 *
 * @throws what reading a snapshot throws, BACKUP_DISK_FULL, BACKUP_REHEARSAL_FAILED, and the signal's reason
 */
export async function verifySnapshot(
  order: VerificationOrder,
): Promise<Verification> {
  const { reader, home, signal, update } = order;
  const { records, files } = reader.manifest;
  await refuseNewer(reader, home, undefined, signal);
  const stage = await home.stage();
  try {
    await reader.extract(stage, {
      signal,
      // It is gone in a moment.
      isDurable: false,
      onProgress: (progress) => update({ ...progress, step: "checking" }),
    });
    update({ step: "rehearsing" });
    const plugins = await rehearse(order, stage);
    return { plugins, records, files: files.count };
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

async function rehearse(
  { reader, home, expected, signal }: VerificationOrder,
  stage: string,
): Promise<number> {
  const { id } = reader.manifest;
  const { plugins } = await home
    .rehearse(stage, signal)
    .catch((cause: unknown) => {
      signal.throwIfAborted();
      const reason = `it did not start: ${describeError(cause)}`;
      throw errors.BACKUP_REHEARSAL_FAILED({ id, reason }, { cause });
    });
  const active = plugins.filter(({ state }) => state === "active");
  const broken = expected
    ? expected.filter((name) => !active.some((plugin) => plugin.id === name))
    : plugins.filter(({ state }) => state === "failed").map((one) => one.id);
  if (broken.length > 0)
    throw errors.BACKUP_REHEARSAL_FAILED({
      id,
      reason: toReason(broken, plugins),
    });
  return active.length;
}

function toReason(
  broken: readonly string[],
  plugins: readonly RehearsedPlugin[],
): string {
  const named = broken.slice(0, MAX_NAMED).map((id) => {
    const { state = "missing", reason = null } =
      plugins.find((plugin) => plugin.id === id) ?? {};
    return `the plugin "${id}" is ${state}${reason === null ? "" : ` (${reason})`}`;
  });
  const more = broken.length - named.length;
  return named.join(", ") + (more > 0 ? ` and ${more} more` : "");
}
