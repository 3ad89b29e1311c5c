import { dirname, resolve } from "node:path";
import type { CommandInput } from "@gantry/plugin";
import { readHomeMark, toHomeName } from "../archive/home-mark.ts";
import type { Snapshot } from "../contract.ts";
import { errors } from "../errors.ts";
import { readSettingsCopy } from "../settings/settings-copy.ts";
import type { StoredSettings } from "../settings/backup-record.ts";
import { DEFAULT_SETTINGS } from "../settings/backup-record.ts";
import { openHomeIdentity } from "../settings/home-identity.ts";
import type { HomeIdentity } from "../settings/home-identity.ts";
import { readSnapshots } from "../snapshots/snapshot-shelf.ts";
import { isFromFuture } from "../snapshots/is-from-future.ts";
import { systemTime } from "./system-time.ts";
import { textOf } from "./options.ts";

const PAGE = 500;

/** The settings as the last daemon of the home had them, with the folder that was typed. */
export async function readStoppedSettings(
  input: CommandInput,
): Promise<StoredSettings> {
  const settings = (await readSettingsCopy(input.folder)) ?? DEFAULT_SETTINGS;
  const typed = textOf(input, "folder");
  return typed === undefined
    ? settings
    : { ...settings, folder: resolve(typed) };
}

/** The folder of these settings. Rejects with what to do if there is none. */
export function expectFolder({ folder }: StoredSettings): string {
  if (folder !== null) return folder;
  throw new Error(
    "No backup folder is known for this home; name it with --folder.",
  );
}

/** The identity of a home that no daemon holds. */
export const stoppedIdentity = (input: CommandInput): Promise<HomeIdentity> =>
  // The plugin's folder is `data/backup` in the home.
  openHomeIdentity(input.folder, dirname(dirname(input.folder)));

/** All snapshots in a folder, newest first. */
export async function readStoppedSnapshots(
  input: CommandInput,
  folder: string,
): Promise<Snapshot[]> {
  return await readSnapshots(folder, await stoppedIdentity(input));
}

/** All snapshots, newest first: those of the running daemon, or those in the folder. */
export async function listAll(input: CommandInput): Promise<Snapshot[]> {
  const { daemon } = input;
  if (!daemon || textOf(input, "folder") !== undefined) {
    const settings = await readStoppedSettings(input);
    return await readStoppedSnapshots(input, expectFolder(settings));
  }
  const found: Snapshot[] = [];
  let cursor: string | null = null;
  do {
    const query = new URLSearchParams({ limit: String(PAGE) });
    if (cursor !== null) query.set("cursor", cursor);
    const page = (await daemon.call(
      "GET",
      `/api/backup/snapshots?${query.toString()}`,
    )) as { items: Snapshot[]; nextCursor: string | null };
    found.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
}

/** The snapshot that was typed, or the newest one that is good. */
export function chooseSnapshot(
  snapshots: readonly Snapshot[],
  id: string | undefined,
): Snapshot {
  if (id !== undefined) {
    const found = snapshots.find((snapshot) => snapshot.id === id);
    if (!found) throw errors.BACKUP_SNAPSHOT_NOT_FOUND({ id });
    return found;
  }
  const good = snapshots.filter(isGood);
  // That of another home in the same folder only if it is the only one.
  const newest = good.find(({ otherHome }) => otherHome === null) ?? good[0];
  if (newest) return newest;
  throw new Error(
    snapshots.length === 0
      ? "There is no snapshot."
      : "There is no snapshot that has no problem and is not from the future; name one by its id.",
  );
}

function isGood(snapshot: Snapshot): boolean {
  const now = Date.parse(systemTime.timestamp());
  return snapshot.problem === null && !isFromFuture(snapshot, now);
}

/** Which of several homes is meant can be told only by a home that knows its own snapshots, or by who types. */
export async function refuseManyHomes(
  input: CommandInput,
  snapshots: readonly Snapshot[],
): Promise<void> {
  if (input.daemon || (await stoppedIdentity(input)).isKnown) return;
  const newest = new Map<string, string>();
  for (const snapshot of snapshots.filter(isGood)) {
    const madeBy = await readHomeMark(snapshot.path);
    if (madeBy && !newest.has(madeBy.id))
      newest.set(madeBy.id, `${toHomeName(madeBy)} (newest: ${snapshot.id})`);
  }
  if (newest.size < 2) return;
  throw new Error(
    `The folder holds snapshots of several homes: ${[...newest.values()].join(", ")}. Name one by its id.`,
  );
}

/** A running daemon works on its own folder. */
export function refuseFolderOfDaemon(input: CommandInput): void {
  if (!input.daemon || textOf(input, "folder") === undefined) return;
  throw new Error(
    "A daemon runs and uses the folder of its settings; leave --folder out, or stop it first.",
  );
}
