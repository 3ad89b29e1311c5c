/** Commands of git that only read. */
export type GitCommand =
  | "blame"
  | "cat-file"
  | "diff"
  | "for-each-ref"
  | "log"
  | "ls-files"
  | "ls-tree"
  | "merge-base"
  | "rev-list"
  | "rev-parse"
  | "show"
  | "status"
  | "symbolic-ref"
  | "worktree";

/** How to run one of them. */
export interface GitOptions {
  /** Paths to narrow it to, taken as they are: no globs, no magic, no options. */
  paths?: readonly string[];
  /** What it reads from its input. */
  input?: string;
  /** The output is cut here; 1 MiB unless said. */
  maxOutputBytes?: number;
  /** It is ended after so many ms; 10,000 unless said. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** What it said. */
export interface GitResult {
  /** 0 if it went well. */
  code: number | null;
  stdout: string;
  stderr: string;
  /** True if output over the cap was dropped. */
  truncated: boolean;
}

/**
 * Reads repositories that nobody has to trust: whatever a repository's own configuration asks to run (hooks, filters,
 * external diffs, file system monitors, pagers, signature checks) is not run, nothing is fetched, and nothing is written.
 *
 * Its errors: `GIT_MISSING` (503), `GIT_TIMEOUT` (504).
 */
export interface Git {
  /**
   * Runs a reading command in a folder.
   *
   * @param args Options of your own making. A revision that somebody typed goes through {@link Git.resolve} first, and
   *   paths belong into `options.paths`. Throws a TypeError for an option that would write or run something.
   */
  (
    folder: string,
    command: GitCommand,
    args?: readonly string[],
    options?: GitOptions,
  ): Promise<GitResult>;
  /**
   * The full hash of the commit that a name stands for, `undefined` if there is none or it is no name. Whatever was typed
   * is safe here.
   */
  resolve(folder: string, revision: string): Promise<string | undefined>;
  /**
   * Top folder of the working tree that a folder lies in, `undefined` if it lies in none: bare repositories are none, nor
   * is a folder whose `.git` leads to a repository that does not know of it.
   */
  root(folder: string): Promise<string | undefined>;
}
