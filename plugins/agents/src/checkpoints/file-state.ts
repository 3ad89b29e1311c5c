import { createHash } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { lstat, open, readlink } from "node:fs/promises";
import type { KeptFile } from "./compare-snapshots.ts";
import { MAX_FILE_BYTES } from "./limits.ts";

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
const CHUNK_BYTES = 256 * 1024;
const ANY_EXECUTE = 0o100;

/** What is at a path now. */
export interface FileState {
  kind: "none" | "file" | "folder" | "other";
  /** As a snapshot would have it; `undefined` if it would not. */
  kept: KeptFile | undefined;
  stats: Stats | undefined;
}

/** Looks at what is at a path, and reads it. Follows no link in its last part. */
export async function readState(path: Buffer): Promise<FileState> {
  const stats = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });
  if (!stats) return { kind: "none", kept: undefined, stats };
  if (stats.isDirectory()) return { kind: "folder", kept: undefined, stats };
  if (stats.isSymbolicLink()) {
    const target = await readlink(path, { encoding: "buffer" });
    const hash = startHash(target.length).update(target).digest("hex");
    return { kind: "file", kept: { mode: "120000", hash }, stats };
  }
  if (!stats.isFile()) return { kind: "other", kept: undefined, stats };
  const hash = await hashFile(path);
  const mode = (stats.mode & ANY_EXECUTE) === 0 ? "100644" : "100755";
  return { kind: "file", kept: hash ? { mode, hash } : undefined, stats };
}

/** Whether two files are equal, or both are not there. */
export function isSame(
  one: KeptFile | undefined,
  other: KeptFile | undefined,
): boolean {
  return one?.hash === other?.hash && one?.mode === other?.mode;
}

/** The hash that git gives a file; `undefined` if it is too large to be kept, or changes meanwhile. */
async function hashFile(path: Buffer): Promise<string | undefined> {
  const handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const { size } = await handle.stat();
    if (size > MAX_FILE_BYTES) return undefined;
    const hash = startHash(size);
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    let read = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES);
      if (bytesRead === 0) break;
      read += bytesRead;
      hash.update(buffer.subarray(0, bytesRead));
    }
    return read === size ? hash.digest("hex") : undefined;
  } finally {
    await handle.close();
  }
}

function startHash(bytes: number) {
  return createHash("sha1").update(`blob ${bytes}\0`);
}
