import { once } from "node:events";
import { readFile, readlink, statfs } from "node:fs/promises";
import { connect } from "node:net";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { errors } from "../errors.ts";

/** Room that a browser needs to write its profile; with less, Chromium leaves half of it and then fails in odd ways. */
const MIN_FREE_BYTES = 64 * 1024 * 1024;
const MB = 1024 * 1024;

/**
 * Checks that the disk of the profiles has room for `bytes` more beside its reserve.
 *
 * @throws `BROWSER_DISK_FULL` (507)
 */
export async function checkRoom(root: string, bytes = 0): Promise<void> {
  const { free } = await readDisk(root);
  const needed = MIN_FREE_BYTES + bytes;
  if (free < needed)
    throw errors.BROWSER_DISK_FULL({
      free: Math.floor(free / MB),
      needed: Math.ceil(needed / MB),
    });
}

/** Size and free bytes of the disk of a folder, which need not exist yet. */
export async function readDisk(
  folder: string,
): Promise<{ free: number; size: number }> {
  try {
    const { bavail, blocks, bsize } = await statfs(folder);
    return { free: bavail * bsize, size: blocks * bsize };
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    if (!isMissing || dirname(folder) === folder) throw error;
    return await readDisk(dirname(folder));
  }
}

/**
 * Checks that no other browser uses a profile. Chromium locks it with a link `SingletonLock` to `<host>-<pid>`, and listens
 * at `SingletonSocket`; after a kill both stay, and nothing listens.
 *
 * @throws `BROWSER_PROFILE_IN_USE` (409)
 */
export async function checkUnused(folder: string): Promise<void> {
  const lock = join(folder, "SingletonLock");
  const holder = await readlink(lock).catch(() => undefined);
  const [, host, pid = ""] = /^(.+)-(\d+)$/.exec(holder ?? "") ?? [];
  if (host === undefined) return;
  const isLocal = host === hostname();
  if (isLocal && !(await isUsed(folder, pid))) return;
  throw errors.BROWSER_PROFILE_IN_USE({
    ...{ pid, host: isLocal ? "this machine" : host },
    profile: basename(folder),
  });
}

async function isUsed(folder: string, pid: string): Promise<boolean> {
  // Its socket is in the system's folder for temporary files, which may have been emptied.
  const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(
    () => "",
  );
  return (
    command.includes(folder) ||
    (await isAnswered(join(folder, "SingletonSocket")))
  );
}

/** Whether something listens at a socket of this machine. */
async function isAnswered(path: string): Promise<boolean> {
  const target = await readlink(path).catch(() => path);
  const socket = connect(target);
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
