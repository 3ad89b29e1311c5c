import { open, readFile, unlink } from "node:fs/promises";
import { bootId, startTimeOf } from "../processes/process-table.ts";

/** Who holds a home. */
export interface LockHolder {
  pid: number;
  startTime: string | undefined;
  bootId: string | undefined;
  /** Address that it serves, once it does. */
  url: string | undefined;
  /** Path of its control socket. */
  control: string | undefined;
}

/** The home is held by another daemon. */
export class LockedError extends Error {
  readonly holder: LockHolder;
  constructor(holder: LockHolder) {
    super(
      `Another daemon (pid ${holder.pid}${holder.url ? `, ${holder.url}` : ""}) uses this home.`,
    );
    this.holder = holder;
  }
}

/** A held home. */
export interface InstanceLock {
  /** Writes down where the daemon can be reached. */
  announce(where: { url: string; control: string }): Promise<void>;
  release(): Promise<void>;
}

/**
 * Takes a home for this process. A lock whose holder is no longer alive is taken over.
 *
 * @throws LockedError if somebody holds it
 */
export async function acquireLock(file: string): Promise<InstanceLock> {
  const self: LockHolder = {
    pid: process.pid,
    startTime: await startTimeOf(process.pid),
    bootId: await bootId(),
    url: undefined,
    control: undefined,
  };
  // Twice at most: once to find a dead holder, once to take its place.
  for (let attempt = 0; ; attempt++) {
    try {
      const handle = await open(file, "wx", 0o600);
      await handle.writeFile(JSON.stringify(self));
      await handle.close();
      break;
    } catch (error) {
      if ((error as { code?: string }).code !== "EEXIST") throw error;
      const holder = await readLock(file);
      if (holder && ((await isAlive(holder)) || attempt > 0))
        throw new LockedError(holder);
      await unlink(file).catch(() => {});
    }
  }
  return {
    async announce(where) {
      const handle = await open(file, "r+");
      const text = JSON.stringify({ ...self, ...where });
      await handle.writeFile(text);
      await handle.truncate(Buffer.byteLength(text));
      await handle.close();
    },
    async release() {
      const holder = await readLock(file);
      if (holder?.pid === process.pid) await unlink(file).catch(() => {});
    },
  };
}

/** The daemon that holds a home and is alive. */
export async function findHolder(
  file: string,
): Promise<LockHolder | undefined> {
  const holder = await readLock(file);
  return holder && (await isAlive(holder)) ? holder : undefined;
}

async function readLock(file: string): Promise<LockHolder | undefined> {
  try {
    const holder = JSON.parse(await readFile(file, "utf8")) as LockHolder;
    return typeof holder.pid === "number" ? holder : undefined;
  } catch {
    // Gone meanwhile, or cut short by a crash: nobody's.
    return undefined;
  }
}

/** A number alone may have been given to a stranger since; with its start time it is the same process or none. */
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
