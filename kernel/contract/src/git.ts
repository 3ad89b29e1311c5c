/** Git commands that `ctx.git` runs. */
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

/** Options for one call of `ctx.git`. */
export interface GitOptions {
  /** Limits the command to these literal paths: no globs, no pathspec magic, no options. */
  paths?: readonly string[];
  /** Written to the standard input of the command. */
  input?: string;
  /** Output beyond this size is dropped; defaults to 1 MiB. */
  maxOutputBytes?: number;
  /** The command is ended after this many ms, with `GIT_TIMEOUT`; defaults to 10,000. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** The result of a git command. */
export interface GitResult {
  /** Exit code; 0 on success, `null` if a signal ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
  /** Whether output beyond the limit was dropped. */
  truncated: boolean;
}

/**
 * Reads untrusted repositories. Instead of a repository's own configuration, which may name programs and change at any time,
 * git uses a private copy of the few settings that define how files are stored and what branches track. No program that the
 * repository names is run (hooks, filters, external diffs, file system monitors, pagers, signature checks), nothing is
 * fetched and nothing is written. The configuration of the user and of the system applies, including filters.
 *
 * Objects are read only from the repository's own folder: a repository that uses `objects/info/alternates`, or has symbolic
 * links in place of folders, is refused.
 *
 * Errors: `GIT_MISSING` (503), `GIT_TIMEOUT` (504), `GIT_OBJECTS_OUTSIDE` (403).
 */
export interface Git {
  /**
   * Runs a read-only command in a folder.
   *
   * @param args Options chosen by the plugin. Pass a revision from user input through {@link Git.resolve} first, and paths
   *   in `options.paths`.
   * @throws TypeError for an option that would write or start a program
   */
  (
    folder: string,
    command: GitCommand,
    args?: readonly string[],
    options?: GitOptions,
  ): Promise<GitResult>;
  /**
   * Resolves a revision to the full hash of its commit; `undefined` if there is none. Accepts any user input.
   */
  resolve(folder: string, revision: string): Promise<string | undefined>;
  /**
   * Returns the top folder of the working tree that contains a folder. `undefined` if there is none, in a bare repository,
   * and for a `.git` file whose repository does not refer back to this folder. Starts no process.
   */
  root(folder: string): Promise<string | undefined>;
  /** Returns the first URL of a remote from the repository's configuration. Starts no process. */
  remote(folder: string, name: string): Promise<string | undefined>;
  /**
   * Returns environment variables that give the git calls of a child process, such as an agent CLI, the same protection.
   * Calls that `planReadingGit` of `@gantry/plugin-helpers/reading-git` accepts are protected in any repository; all other
   * calls run unchanged. If the child replaces `PATH`, its git finds no repository.
   *
   * @param folder Emptied first; must exist until the child has ended.
   * @param path The child's `PATH`; defaults to the daemon's.
   */
  readingEnvironment(
    folder: string,
    path?: string,
  ): Promise<Record<string, string>>;
}
