import type { CommandInput, WholeHome } from "@gantry/plugin";
import { describeError } from "@gantry/plugin";
import type { SnapshotReader } from "../archive/open-snapshot.ts";
import type { Snapshot } from "../contract.ts";
import { createKeyRing, type KeyRing } from "../keys/key-ring.ts";
import { previewRestore } from "../preview/preview-restore.ts";
import {
  DEFAULT_SETTINGS,
  storedSettings,
  type StoredSettings,
} from "../settings/backup-record.ts";
import { chooseParts } from "../work/choose-parts.ts";
import { writeMark } from "../snapshots/verification-mark.ts";
import { makeProvenSnapshot } from "../work/make-proven-snapshot.ts";
import { makeSnapshot } from "../work/make-snapshot.ts";
import { openForReading } from "../work/open-for-reading.ts";
import { refuseNewer } from "../work/refuse-newer.ts";
import {
  restoreSnapshot,
  type SafetyContent,
  type SafetySnapshot,
} from "../work/restore-snapshot.ts";
import { toProblem } from "../work/to-problem.ts";
import { readStoppedSnapshots, stoppedIdentity } from "./find-snapshot.ts";
import { isEmptyHome } from "./is-empty-home.ts";
import { learnRecordVersions } from "./learn-record-versions.ts";
import type { RestoreOutcome } from "./restore-outcome.ts";
import { systemTime } from "./system-time.ts";

/** What is restored while no daemon runs. */
export interface StoppedRestore {
  snapshot: Snapshot;
  folder: string;
  /** The settings as the last daemon had them; `undefined` if there was none. */
  known: StoredSettings | undefined;
  only: string[] | undefined;
  passphrase: string | undefined;
}

/** The settings of this machine; on a new one those of the snapshot, with the folder that it was found in. */
function toSettings(
  { folder, known }: StoppedRestore,
  staged: object | undefined,
): StoredSettings {
  const settings = known ?? {
    ...DEFAULT_SETTINGS,
    ...storedSettings.safeParse(staged).data,
    folder,
  };
  return { ...settings, folder: settings.folder ?? folder };
}

/** How the home is before a restore. */
type HomeState = "empty" | "readable" | "unreadable";

/** Restores a snapshot into a home that no daemon holds, also one whose store cannot be opened or that is empty. */
export async function restoreStopped(
  input: CommandInput,
  order: StoppedRestore,
): Promise<RestoreOutcome> {
  const keys = createKeyRing(input.folder);
  return await input.withStoppedHome(async (stopped, { signal }) => {
    const reader = await openForReading({ ...order, keys });
    const only = chooseParts(reader.manifest, order.only);
    const learned = await learnRecordVersions(stopped, reader, signal);
    const { home, ...warning } = learned;
    await refuseNewer(reader, home, only, signal);
    if (learned.warning) announce(input, `Warning: ${learned.warning}`);
    const found = await lookAtHome(home, signal);
    // Where nothing is, nothing can be lost.
    if (found.state !== "empty" && input.args["yes"] !== true)
      return {
        ...(await preview({ reader, home, only, signal }, found.state)),
        ...warning,
      };
    const note = await restoreSnapshot({
      ...{ reader, home, only, signal },
      keepsSessions: input.args["keep-sessions"] === true,
      toOwnRecords: ({ settings }) => ({
        settings: toSettings(order, settings),
      }),
      makeSafetySnapshot: (what) =>
        makeSafety(input, order, { home, keys, found, ...what }),
      update: announceSteps(input),
    });
    await expectReplaced(home, note.snapshotId);
    const { safetySnapshotId } = note;
    return { ok: true, safetySnapshotId, restarts: false, ...warning };
  });
}

async function lookAtHome(
  home: WholeHome,
  signal: AbortSignal,
): Promise<{ state: HomeState; fault?: unknown }> {
  try {
    const isEmpty = await isEmptyHome(home, signal);
    return { state: isEmpty ? "empty" : "readable" };
  } catch (fault) {
    signal.throwIfAborted();
    return { state: "unreadable", fault };
  }
}

async function preview(
  order: {
    reader: SnapshotReader;
    home: WholeHome;
    only: string[] | undefined;
    signal: AbortSignal;
  },
  state: HomeState,
): Promise<RestoreOutcome> {
  if (state === "unreadable") return { preview: null };
  const effects = await previewRestore(order);
  return { preview: { only: order.only ?? null, ...effects } };
}

async function makeSafety(
  input: CommandInput,
  { known, folder }: StoppedRestore,
  {
    home,
    keys,
    found,
    proven,
    needsConversations,
  }: SafetyContent & {
    home: WholeHome;
    keys: KeyRing;
    found: { state: HomeState; fault?: unknown };
  },
): Promise<SafetySnapshot | null> {
  if (found.state === "empty") return null;
  if (input.args["without-safety-snapshot"] === true) return null;
  if (found.state === "unreadable")
    throw new Error(
      `The store of this home cannot be read, so that no snapshot of it can be made first. Copy ${home.folder} elsewhere if you want to keep it, and add --without-safety-snapshot. The fault: ${describeError(found.fault)}`,
      { cause: found.fault },
    );
  announce(input, "Making a snapshot of what is there …");
  const { signal } = input;
  return await makeProvenSnapshot({
    ...{ folder, keys, proven, signal },
    async make(rewrites, onLeftOut) {
      const { id } = await makeSnapshot({
        ...{ home, keys, signal, rewrites, needsConversations },
        identity: await stoppedIdentity(input),
        settings: { ...(known ?? DEFAULT_SETTINGS), folder },
        clock: systemTime,
        reason: "safety",
        onProgress: () => {},
        onLeftOut,
      });
      const snapshots = await readStoppedSnapshots(input, folder);
      return snapshots.find((each) => each.id === id)!;
    },
    async onDamaged({ path }, error) {
      const problem = toProblem(error, systemTime.timestamp());
      await writeMark(path, { verifiedAt: null, problem }).catch(() => {});
    },
  });
}

const STEPS = {
  staging: "Checking and unpacking …",
  replacing: "Putting it in place …",
} as const;

/** Prints each step once. */
function announceSteps(input: CommandInput) {
  let last: string | undefined;
  return ({ step }: { step?: string | undefined }) => {
    if (step === undefined || step === last || !(step in STEPS)) return;
    last = step;
    announce(input, STEPS[step as keyof typeof STEPS]);
  };
}

function announce({ args, print }: CommandInput, line: string): void {
  if (args["json"] !== true) print(line);
}

/** No daemon runs that would report the result. */
async function expectReplaced(
  home: WholeHome,
  snapshotId: string,
): Promise<void> {
  const result = await home.lastReplacement();
  const note = result?.note as { snapshotId?: unknown } | undefined;
  if (note?.snapshotId !== snapshotId)
    throw new Error("It is put in place when the daemon starts.");
  if (result?.failure) throw new Error(result.failure);
}
