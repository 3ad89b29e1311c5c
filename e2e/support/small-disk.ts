import { execFile } from "node:child_process";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);
const FILLER = "filler";
const STEP_BYTES = 4096;

/** Only the superuser may mount. */
export const canMount =
  process.platform === "linux" && process.getuid?.() === 0;

/** A file system of its own in memory. */
export interface SmallDisk {
  readonly path: string;
  /** Takes all the room that is left. */
  fill(): Promise<void>;
  /** Gives back what `fill` took. */
  free(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Mounts a file system of size `bytes`. */
export async function mountSmallDisk(
  path: string,
  bytes: number,
): Promise<SmallDisk> {
  await mkdir(path);
  const options = `size=${bytes},mode=0700`;
  await run("mount", ["-t", "tmpfs", "-o", options, "tmpfs", path]);
  const filler = join(path, FILLER);
  return {
    path,
    async fill() {
      await using file = await open(filler, "a");
      const block = Buffer.alloc(STEP_BYTES);
      try {
        for (;;) await file.write(block);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
      }
    },
    free: () => rm(filler),
    async [Symbol.asyncDispose]() {
      await run("umount", ["--lazy", path]);
    },
  };
}

/** Makes every write of a process to a file fail (EFBIG), or lets it write again. */
export async function setFilesWritable(
  pid: number,
  isWritable: boolean,
): Promise<void> {
  const limit = isWritable ? "unlimited" : "0";
  await run("prlimit", ["--pid", String(pid), `--fsize=${limit}:unlimited`]);
}
