import { constants } from "node:fs";
import { lstat, open, stat } from "node:fs/promises";
import { join, resolve } from "node:path";

const MAX_SMALL_BYTES = 256 * 1024;
const { O_RDONLY, O_NONBLOCK } = constants;

/** A mark that changes with the index of the user's repository; `undefined` if that is not found. */
export async function readIndexMark(root: string): Promise<string | undefined> {
  const entry = join(root, ".git");
  const stats = await lstat(entry).catch(() => undefined);
  const target = stats?.isFile()
    ? /^gitdir: (.+)\n?$/.exec(await readSmallFile(entry))?.[1]
    : ".git";
  if (target === undefined) return undefined;
  const folder = Buffer.from(target, "latin1").toString();
  const index = await stat(join(resolve(root, folder), "index")).catch(
    () => undefined,
  );
  return index && `${index.ino} ${index.size} ${index.ctimeMs}`;
}

/** A small file, one character for each byte; empty if it is none, such as a pipe. */
export async function readSmallFile(path: string): Promise<string> {
  const handle = await open(path, O_RDONLY | O_NONBLOCK).catch(() => undefined);
  if (!handle) return "";
  try {
    const stats = await handle.stat();
    return stats.isFile() && stats.size <= MAX_SMALL_BYTES
      ? await handle.readFile("latin1")
      : "";
  } finally {
    await handle.close();
  }
}
