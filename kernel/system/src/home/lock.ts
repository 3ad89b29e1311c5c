import { closeSync, openSync, truncateSync } from "node:fs";
import { readFile, unlink } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { bootId, identify, isSame } from "../processes/identity.ts";
import type { ProcessIdentity } from "../processes/identity.ts";
import { parseJson } from "../parse-json.ts";
import { UserError } from "../user-error.ts";
import { replaceFile } from "@gantry/plugin/files";
import type { Home } from "./home.ts";

const SQLITE_BUSY = 5;
/** The file has something in it that is no database. */
const FOREIGN_CONTENT = new Set([11, 26]);

/** Who holds a home. */
export interface LockHolder extends ProcessIdentity {
  /** Address that it serves, once it does. */
  url: string | undefined;
  /** Path of its control socket. */
  control: string | undefined;
}

/** The home is held by another daemon; which, unless it has only just begun. */
export class LockedError extends UserError {
  override readonly exitCode = 3;

  constructor(holder: LockHolder | undefined) {
    const address = holder?.url ? `, ${holder.url}` : "";
    const who = holder ? ` (pid ${holder.pid}${address})` : " that just starts";
    super(`Another daemon${who} uses this home.`);
  }
}

/** The two files of a lock: one that the system locks, and one that says who holds it. */
type LockFiles = Pick<Home, "lock" | "holder">;

/**
 * Takes a home for this process. The system itself holds the lock and drops it when the process dies, however it does;
 * a file whose mere existence is the lock could be taken over by two at once.
 *
 * @throws LockedError if another process holds it
 */
export async function acquireLock(files: LockFiles) {
  const held = lockFile(files.lock);
  if (!held) throw new LockedError(await findHolder(files));
  const self: LockHolder = {
    ...(await identify(process.pid)),
    url: undefined,
    control: undefined,
  };
  const note = (holder: LockHolder) =>
    replaceFile(files.holder, JSON.stringify(holder));
  const leftBy = await readHolder(files.holder);
  await note(self).catch((error: unknown) => {
    held.close();
    throw error;
  });
  return {
    /** Who held it last, if that daemon ended without letting go. */
    leftBy,
    /** Writes down where the daemon can be reached. */
    announce: (where: { url: string; control: string }) =>
      note({ ...self, ...where }),
    async release(): Promise<void> {
      await unlink(files.holder).catch(() => {});
      held.close();
    },
  };
}

/** Locks a file by the one means that Node has: SQLite's. `undefined` if it is locked. */
function lockFile(file: string): DatabaseSync | undefined {
  closeSync(openSync(file, "a", 0o600));
  try {
    return lockDatabase(file);
  } catch (error) {
    if (!FOREIGN_CONTENT.has((error as { errcode?: number }).errcode ?? 0))
      throw error;
    // It says nothing that is needed. A new file in its place could be locked beside one that another process has just
    // locked, so this one is emptied.
    truncateSync(file);
    return lockDatabase(file);
  }
}

function lockDatabase(file: string): DatabaseSync | undefined {
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

/** The daemon that holds a home and is alive. */
export async function findHolder(
  files: LockFiles,
): Promise<LockHolder | undefined> {
  const holder = await readHolder(files.holder);
  return holder && (await isAlive(holder)) ? holder : undefined;
}

async function readHolder(file: string): Promise<LockHolder | undefined> {
  // None, or a damaged one: no process holds it.
  const text = await readFile(file, "utf8").catch(() => "");
  const holder = parseJson(text) as LockHolder | null | undefined;
  return typeof holder?.pid === "number" ? holder : undefined;
}

async function isAlive(holder: LockHolder): Promise<boolean> {
  if (holder.startTime !== undefined) return isSame(holder, true);
  if (holder.bootId !== (await bootId())) return false;
  try {
    process.kill(holder.pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: string }).code === "EPERM";
  }
}
