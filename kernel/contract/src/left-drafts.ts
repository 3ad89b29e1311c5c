import { lstat, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import {
  asideKeyOf,
  isRunning,
  parseAsideName,
  parseDraftName,
} from "./draft-names.ts";
import type { LeftName } from "./draft-names.ts";
import { placeFile } from "./place-file.ts";

/** A draft is there for a moment. One as old as this is left, whatever process has its number now. */
const MAX_AGE_MS = 24 * 60 * 60 * 1000;

/** A file that a process left which has ended. */
interface LeftFile extends LeftName {
  path: string;
  changedAt: number;
}

/**
 * Removes what processes that were killed left of `replaceFile` and `placeFile` in a folder, but not in the folders in it. A file
 * that such a process was overwriting gets its new content. An old content stays if nothing tells whether its file is whole.
 *
 * Only for folders of this machine: of a process on another one nothing tells whether it has ended.
 *
 * @returns how many files were removed; 0 if the folder is not there
 */
export async function removeLeftDrafts(folder: string): Promise<number> {
  const names = await readdir(folder).catch((error: { code?: string }) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
    throw error;
  });
  const drafts = await findLeft(folder, names, parseDraftName);
  const asides = await findLeft(folder, names, parseAsideName);
  let removed = 0;
  for (const aside of asides) {
    const name = names.find((each) => asideKeyOf(each) === aside.of);
    if (name === undefined) continue;
    const file = join(folder, name);
    const draft = drafts.find((each) => isDraftOf(each, aside));
    if (draft) await placeFile(draft.path, file);
    else if (!(await areEqual(aside.path, file))) continue;
    await rm(aside.path, { force: true });
    removed++;
  }
  for (const { path } of drafts) {
    await rm(path, { force: true });
    removed++;
  }
  return removed;
}

/** Whether a draft was being put in the place of a file: it was finished before the old content was kept. */
function isDraftOf(draft: LeftFile, aside: LeftFile): boolean {
  return (
    draft.pid === aside.pid &&
    asideKeyOf(draft.of) === aside.of &&
    draft.changedAt <= aside.changedAt
  );
}

async function findLeft(
  folder: string,
  names: readonly string[],
  parse: (name: string) => LeftName | undefined,
): Promise<LeftFile[]> {
  const found: LeftFile[] = [];
  for (const name of names) {
    const parsed = parse(name);
    if (!parsed) continue;
    const path = join(folder, name);
    const stats = await lstat(path).catch(() => undefined);
    if (stats?.isFile() && isLeft(parsed.pid, stats.mtimeMs))
      found.push({ ...parsed, path, changedAt: stats.mtimeMs });
  }
  return found;
}

function isLeft(pid: number | undefined, changedAt: number): boolean {
  const now = Date.now();
  if (now - changedAt > MAX_AGE_MS || !isRunning(pid)) return true;
  // In a container each daemon has the same number.
  return pid === process.pid && changedAt < now - process.uptime() * 1000;
}

async function areEqual(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([readFile(one), readFile(other)]);
  return first.equals(second);
}
