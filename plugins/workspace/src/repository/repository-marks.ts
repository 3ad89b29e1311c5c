import { createHash } from "node:crypto";
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { isGantryError, type Clock, type Git } from "@gantry/plugin";
import { readStatus, type RepositoryStatus } from "./status.ts";

/** Changed files whose times are part of the mark. */
const MAX_WATCHED = 200;
/** A status that took longer is cached for ten times as long, so that polling takes a tenth of the time at most. */
const SLOW_MS = 2000;
const REST = 10;
const MAX_CACHED = 100;

/** A value to poll, which changes with the repository. */
export interface RepositoryMark {
  /** Changes with the commit and the branch. */
  key: string;
  /** Changes with anything in the status. */
  token: string;
  /** `null` if git takes too long. */
  dirty: boolean | null;
}

/** The marks of repositories. Requests at the same time share one read, and a slow repository is read less often. */
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
    if (oldest !== undefined && this.#kept.size > MAX_CACHED)
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

  async #read(folder: string): Promise<RepositoryMark> {
    const { git } = this.#host;
    try {
      return await markOf(folder, await readStatus(git, folder, "normal"));
    } catch (error) {
      if (!isGantryError(error) || error.code !== "GIT_TIMEOUT") throw error;
      const [head = null, named] = await Promise.all([
        git.resolve(folder, "HEAD"),
        git(folder, "symbolic-ref", ["--short", "-q", "HEAD"]),
      ]);
      const branch = named.code === 0 ? named.stdout.replace(/\n$/, "") : null;
      const key = keyOf(head, branch);
      return { key, token: key, dirty: null };
    }
  }
}

/** A mark of the commit, the branch and the changed files of a status. */
async function markOf(
  folder: string,
  status: RepositoryStatus,
): Promise<RepositoryMark> {
  const { items, head, branch, upstream, ahead, behind } = status;
  const times = await Promise.all(
    items.slice(0, MAX_WATCHED).map(async ({ path }) => {
      const stats = await lstat(join(folder, path)).catch(() => undefined);
      return [stats?.mtimeMs, stats?.size];
    }),
  );
  const key = keyOf(head, branch);
  const token = digest([key, upstream, ahead, behind, items, times]);
  return { key, token, dirty: items.length > 0 };
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
