import { createHash } from "node:crypto";
import { lstat, mkdir } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";

/** Longest path that a socket may have on every system that we run on. */
const MAX_SOCKET_PATH_LENGTH = 100;
const PRIVATE = 0o700;

/**
 * Path of the host's socket: in the plugin's folder, or in a private temporary folder if that path is too long.
 *
 * @throws Error if that temporary folder belongs to another user, or others may open it.
 */
export async function socketPath(folder: string): Promise<string> {
  const inside = join(folder, "host.sock");
  if (inside.length <= MAX_SOCKET_PATH_LENGTH) return inside;
  const { uid } = userInfo();
  const shared = join(tmpdir(), `gantry-terminals-${uid}`);
  await mkdir(shared, { mode: PRIVATE }).catch((error: unknown) => {
    if ((error as { code?: string }).code !== "EEXIST") throw error;
  });
  const stats = await lstat(shared);
  if (
    !stats.isDirectory() ||
    stats.uid !== uid ||
    (stats.mode & 0o777) !== PRIVATE
  )
    throw new Error(`${shared} is not a folder of this user alone.`);
  const digest = createHash("sha256").update(folder).digest("hex");
  return join(shared, `${digest.slice(0, 24)}.sock`);
}
