import { lstat, mkdir, rename, rm } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import { join } from "node:path";
import { timestamp } from "@gantry/plugin/zod";
import * as z from "zod";
import { toFolderName, WRITER_FILE } from "./names.ts";
import { readSmallFile, writeNewFile } from "./plain-file.ts";
import { codeOf } from "./refusals.ts";

const MAX_WRITER_FILE_BYTES = 4096;
/** Snapshots that were begun in the same millisecond. */
const MAX_ATTEMPTS = 100;

/** No snapshot is written for longer. If the pid is in use after that, another process has it. */
const MAX_WRITING_MS = 24 * 60 * 60 * 1000;

const writerSchema = z.strictObject({
  pid: z.int(),
  host: z.string(),
  startedAt: timestamp,
});

/** Begins the name of a folder that says nothing about who writes it yet. */
const NEW_PREFIX = ".new-";

/**
 * Makes the folder of a snapshot, which says from the beginning who writes it.
 *
 * @param backup The `gantry-backup` folder.
 */
export async function makeSnapshotFolder(
  backup: string,
  createdAt: string,
): Promise<string> {
  const made = join(backup, NEW_PREFIX + randomBytes(8).toString("hex"));
  const writer = {
    pid: process.pid,
    host: hostname(),
    startedAt: createdAt,
  };
  try {
    await mkdir(made, { mode: 0o700 });
    await writeNewFile(join(made, WRITER_FILE), JSON.stringify(writer));
    for (let attempt = 1; ; attempt++) {
      const folder = join(backup, toFolderName(createdAt, attempt));
      if (await tryToRename(made, folder)) return folder;
      if (attempt === MAX_ATTEMPTS)
        throw new Error(`There are ${MAX_ATTEMPTS} snapshots of ${createdAt}.`);
    }
  } catch (error) {
    await rm(made, { recursive: true, force: true }).catch(() => {});
    throw error;
  }
}

/** @returns whether the name was free */
async function tryToRename(from: string, to: string): Promise<boolean> {
  try {
    // An empty folder would be replaced.
    if (await lstat(to).catch(() => undefined)) return false;
    await rename(from, to);
    return true;
  } catch (error) {
    const code = codeOf(error);
    if (code === "ENOTEMPTY" || code === "EEXIST") return false;
    throw error;
  }
}

/** Whether a folder is one of those that are just being made. */
export function isNewFolder(name: string): boolean {
  return name.startsWith(NEW_PREFIX);
}

/** Whether a folder without a manifest is being written; `undefined` if it does not say by whom. */
export async function isBeingWritten(
  folder: string,
  now: number,
): Promise<boolean | undefined> {
  const content = await readSmallFile(
    join(folder, WRITER_FILE),
    MAX_WRITER_FILE_BYTES,
  );
  if (!Buffer.isBuffer(content)) return undefined;
  let writer: z.infer<typeof writerSchema>;
  try {
    writer = writerSchema.parse(JSON.parse(content.toString()));
  } catch {
    return false;
  }
  if (now - Date.parse(writer.startedAt) > MAX_WRITING_MS) return false;
  return writer.host !== hostname() || isAlive(writer.pid);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
