import { closeSync, openSync } from "node:fs";
import { readFile, unlink } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { bootId, startTimeOf } from "../processes/process-table.ts";
import { UserError } from "../user-error.ts";
import { writeFileAtomic } from "../files/atomic-file.ts";
import type { Home } from "./home.ts";

const SQLITE_BUSY = 5;

/** The daemon that holds a home. */
export interface LockHolder {
  pid: number;
  startTime: string | undefined;
  bootId: string | undefined;
  /** Address at which it serves, once it does. */
  url: string | undefined;
  /** Path of its control socket. */
  control: string | undefined;
}

/** The home is held by another daemon, which is named unless it has only just started. */
export class LockedError extends UserError {
  override readonly exitCode = 3;

  constructor(holder: LockHolder | undefined) {
    const address = holder?.url ? `, ${holder.url}` : "";
    const who = holder ? ` (pid ${holder.pid}${address})` : " that just starts";
    super(`Another daemon${who} uses this home.`);
  }
}

/** The two files of a lock: one that is locked through the system, and one that describes the holder. */
type LockFiles = Pick<Home, "lock" | "holder">;

/** A held home. */
export interface InstanceLock {
  /** The previous holder, if that daemon ended without releasing the lock. */
  readonly leftBy: LockHolder | undefined;
  /** Records where the daemon can be reached. */
  announce(where: { url: string; control: string }): Promise<void>;
  release(): Promise<void>;
}

/**
 * Takes a home for this process. The lock is held by the system, which releases it when the process dies in any way; a
 * lock file that only has to exist could be taken by two processes at once.
 *
 * @throws LockedError if another daemon holds it
 */
export async function acquireLock(files: LockFiles): Promise<InstanceLock> {
  const held = lockFile(files.lock);
  if (!held) throw new LockedError(await findHolder(files));
  const self: LockHolder = {
    pid: process.pid,
    startTime: await startTimeOf(process.pid),
    bootId: await bootId(),
    url: undefined,
    control: undefined,
  };
  const note = (holder: LockHolder) =>
    writeFileAtomic(files.holder, JSON.stringify(holder));
  const leftBy = await readHolder(files.holder);
  await note(self);
  return {
    leftBy,
    announce: (where) => note({ ...self, ...where }),
    async release() {
      await unlink(files.holder).catch(() => {});
      held.close();
    },
  };
}

/** Locks a file with the only means that Node offers: SQLite's locking. `undefined` if it is locked. */
function lockFile(file: string): DatabaseSync | undefined {
  closeSync(openSync(file, "a", 0o600));
  const database = new DatabaseSync(file);
  try {
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
    return database;
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY)
      return undefined;
    throw error;
  }
}

/** The running daemon that holds a home. */
export async function findHolder(
  files: LockFiles,
): Promise<LockHolder | undefined> {
  const holder = await readHolder(files.holder);
  return holder && (await isAlive(holder)) ? holder : undefined;
}

async function readHolder(file: string): Promise<LockHolder | undefined> {
  try {
    const holder = JSON.parse(await readFile(file, "utf8")) as LockHolder;
    return typeof holder.pid === "number" ? holder : undefined;
  } catch {
    // No holder, or a damaged record, which counts as none.
    return undefined;
  }
}

/** The id alone may have been reused; together with the start time it identifies the process. */
async function isAlive(holder: LockHolder): Promise<boolean> {
  if (holder.bootId !== (await bootId())) return false;
  if (holder.startTime !== undefined)
    return (await startTimeOf(holder.pid)) === holder.startTime;
  try {
    process.kill(holder.pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}
