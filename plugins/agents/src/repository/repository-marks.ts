import { createHash } from "node:crypto";
import { lstat } from "node:fs/promises";
import type { Git } from "@gantry/git-kit";
import { isGantryError, type Clock } from "@gantry/plugin";
import { toPathBytes } from "./path-text.ts";
import type { RepositoryStatus } from "./parse-status.ts";
import { isDirty, readStatus } from "./status.ts";

/** Changed files whose times are looked at to see whether they changed again. */
const MAX_WATCHED = 200;
/** A status that took longer is not asked for at every poll: watching takes a tenth of the time at most. */
const SLOW_MS = 2000;
const REST = 10;
const MAX_KEPT = 100;

/** What is polled: another when something has changed. */
export interface RepositoryMark {
  /** Changes with the commit and the branch. */
  key: string;
  /** Changes with anything that the status tells. */
  token: string;
  /** `null` where git takes too long to tell, or something was not looked at. */
  dirty: boolean | null;
}

/** The marks of repositories, each read once for all who ask at a time, and more seldom the longer it takes. */
export class RepositoryMarks {
  readonly #host: { git: Git; clock: Clock };
  readonly #kept = new Map<
    string,
    { mark: Promise<RepositoryMark>; until: number }
  >();

  constructor(host: { git: Git; clock: Clock }) {
    this.#host = host;
  }

  async of(folder: string): Promise<RepositoryMark> {
    const { clock } = this.#host;
    const known = this.#kept.get(folder);
    if (known && clock.monotonic() < known.until) return known.mark;
    const start = clock.monotonic();
    const kept = { mark: this.#read(folder), until: Infinity };
    this.#kept.delete(folder);
    this.#kept.set(folder, kept);
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size > MAX_KEPT)
      this.#kept.delete(oldest);
    try {
      const mark = await kept.mark;
      const end = clock.monotonic();
      kept.until = end - start < SLOW_MS ? end : end + REST * (end - start);
      return mark;
    } catch (error) {
      kept.until = 0;
      throw error;
    }
  }

  /** Gives the mark of a status that was read for something else, and keeps it: one that rests is never older than what was told. */
  renew(folder: string, status: RepositoryStatus): Promise<RepositoryMark> {
    const mark = markOf(folder, status);
    const kept = this.#kept.get(folder);
    if (kept && kept.until !== Infinity) kept.mark = mark;
    return mark;
  }

  async #read(folder: string): Promise<RepositoryMark> {
    const { git } = this.#host;
    try {
      return await markOf(folder, await readStatus(git, folder));
    } catch (error) {
      if (!isGantryError(error) || error.code !== "GIT_TIMEOUT") throw error;
      const [head = null, branch = null] = await Promise.all([
        git.resolve(folder, "HEAD"),
        git.branch(folder),
      ]);
      const key = keyOf(head, branch);
      return { key, token: key, dirty: null };
    }
  }
}

/** A mark that is another whenever a commit, a branch or a file is, as far as the status tells. */
async function markOf(
  folder: string,
  status: RepositoryStatus,
): Promise<RepositoryMark> {
  const { items, head, branch, upstream, ahead, behind } = status;
  const { repositories, notices } = status;
  const times = await Promise.all(
    items.slice(0, MAX_WATCHED).map(async ({ path }) => {
      const place = Buffer.from(toPathBytes(path), "latin1");
      const full = Buffer.concat([Buffer.from(`${folder}/`), place]);
      const stats = await lstat(full).catch(() => undefined);
      return [stats?.mtimeMs, stats?.size];
    }),
  );
  const key = keyOf(head, branch);
  const counts = [upstream, ahead, behind];
  const token = digest([key, counts, items, times, repositories, notices]);
  return { key, token, dirty: isDirty(status) };
}

function keyOf(head: string | null, branch: string | null): string {
  return digest([head, branch]);
}

function digest(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(value))
    .digest("base64url")
    .slice(0, 22);
}
