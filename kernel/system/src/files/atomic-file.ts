import { open, rename, unlink } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { basename, dirname, join } from "node:path";

/**
 * Writes a whole file so that a crash leaves the old or the new content, never a part: a temporary file in the same
 * folder, readable by the user only, is flushed and renamed, and then the folder is flushed.
 *
 * @param isFlushed Whether this also holds for a crash of the machine, not only of this process.
 */
export async function writeFileAtomic(
  file: string,
  content: string | Uint8Array,
  { isFlushed = true } = {},
): Promise<void> {
  const folder = dirname(file);
  const temporary = join(
    folder,
    `.${basename(file)}.${randomBytes(6).toString("hex")}.tmp`,
  );
  const handle = await open(temporary, "wx", 0o600);
  try {
    await handle.writeFile(content);
    if (isFlushed) await handle.sync();
    await handle.close();
    await rename(temporary, file);
  } catch (error) {
    await handle.close().catch(() => {});
    await unlink(temporary).catch(() => {});
    throw error;
  }
  if (!isFlushed) return;
  const folderHandle = await open(folder, "r");
  try {
    await folderHandle.sync();
  } finally {
    await folderHandle.close();
  }
}
