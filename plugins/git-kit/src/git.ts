/** Commands of git that the wrapper runs. */
export type GitCommand =
  | "blame"
  | "cat-file"
  | "check-attr"
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

/** Commands of git that write to a repository. */
export type GitWriteCommand =
  // It writes nothing, but runs filters.
  | "cat-file"
  | "commit"
  | "config"
  | "hash-object"
  | "push"
  | "reset"
  | "update-index"
  | "update-ref"
  | "worktree";

/** How to run one of them. */
export interface GitOptions {
  /**
   * Paths to narrow it to, taken as they are: no globs, no magic, no options. A name that is not UTF-8 is given by its
   * bytes.
   */
  paths?: readonly (string | Uint8Array)[];
  /** `latin1` gives each byte of stdout as one character, so that names in any encoding stay what they are; `utf8` unless said. */
  encoding?: "utf8" | "latin1";
  /** What it reads from its input. */
  input?: string | Uint8Array;
  /** The output is cut here; 1 MiB unless said. */
  maxOutputBytes?: number;
  /** Time after which git is ended; 10,000 by default. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** How to run a command that writes. */
export interface GitWriteOptions extends GitOptions {
  /**
   * Whether git does as in the user's own terminal: with the repository's whole configuration, hooks, filters and
   * signatures. Else it starts no program that the repository names, no hook and nothing that signs.
   */
  programs: boolean;
  /** Whether it may go to a remote: over HTTP or SSH, with the user's own settings for that. */
  reachesOut?: boolean;
}

/** What git would run beside itself. */
export interface GitPrograms {
  /** In words, such as `pre-commit hook`, `signing`, `filter lfs` or `core.sshCommand`. */
  items: string[];
  /** Filters that the repository's own configuration defines. */
  filters: string[];
  /** Another one as soon as the repository names other programs, or a hook has another text. */
  mark: string;
}

/** The outcome of a command. */
export interface GitResult {
  /** 0 if it went well. */
  code: number | null;
  stdout: string;
  /** In English. Not empty either if git read something only in part, such as a folder that it may not open. */
  stderr: string;
  /** True if output over the cap was dropped. */
  truncated: boolean;
}

/** A setting such as `remote` of the branch `main`. */
export interface GitSetting {
  /** Of the branch or the remote; `undefined` for a setting of all. */
  name: string | undefined;
  /** In lower case. */
  key: string;
  value: string;
}

/**
 * Reads untrusted repositories. git does not read a repository's own configuration, which names programs and can change at
 * any moment, but a private copy of the few settings that say how files are stored and what branches track. No program
 * that the repository names is run (hooks, filters, external diffs, file system monitors, pagers, signature checks),
 * nothing is fetched and nothing is written. The user's and the system's configuration apply, filters included; if a filter
 * fails, as git-lfs does where it is not installed, the call is made again without it, and `stderr` says so. Only
 * {@link Git.write} writes, and only it can be told to run what the repository names.
 *
 * Objects are read from the repository's own folder only: one that uses `objects/info/alternates`, or has links in the
 * place of folders, is refused.
 *
 * Errors: `GIT_MISSING` (503), `GIT_TIMEOUT` (504), `GIT_OBJECTS_OUTSIDE` (403).
 */
export interface Git {
  /**
   * Runs a reading command in a folder.
   *
   * @param args Options that the plugin itself chose. A revision from user input goes through {@link Git.resolve} first,
   *   paths go into `options.paths`. Throws a TypeError for an option that would write or start a program.
   */
  (
    folder: string,
    command: GitCommand,
    args?: readonly string[],
    options?: GitOptions,
  ): Promise<GitResult>;
  /**
   * The full hash of the commit that a name refers to, `undefined` if there is none. Accepts any user input.
   */
  resolve(folder: string, revision: string): Promise<string | undefined>;
  /**
   * The top folder of the working tree that contains a folder. `undefined` if there is none, in a bare repository, and for
   * a `.git` file whose repository does not name this folder in turn. Starts no process.
   */
  root(folder: string): Promise<string | undefined>;
  /**
   * Where the repository that a folder is in keeps what all its working trees share, so that folders of one repository are
   * known. `undefined` where {@link Git.root} is. Starts no process.
   */
  common(folder: string): Promise<string | undefined>;
  /**
   * Why the repository that a folder is in is not read, as whole sentences with the way out. `undefined` if it is read, and
   * if there is none. Starts no process.
   */
  refusal(folder: string): Promise<string | undefined>;
  /** The branch that is checked out, without `refs/heads/`, also before its first commit; `undefined` if there is none. */
  branch(folder: string): Promise<string | undefined>;
  /**
   * Runs a command that writes to the repository of a folder. A repository that is not read is not written to either.
   *
   * @param args Options that the plugin itself chose; paths go into the input.
   */
  write(
    folder: string,
    command: GitWriteCommand,
    args: readonly string[],
    options: GitWriteOptions,
  ): Promise<GitResult>;
  /** What git would run for a commit and a push. `undefined` where {@link Git.root} is. */
  programs(folder: string): Promise<GitPrograms | undefined>;
  /**
   * The patch that adds files or links that git does not know, as git prints it. A link is never followed. The
   * repository's index stays as it is.
   *
   * @param paths From `folder` on.
   * @param args Options of `git diff`.
   */
  newFilesPatch(
    folder: string,
    paths: readonly (string | Uint8Array)[],
    args?: readonly string[],
    options?: Omit<GitOptions, "paths" | "input">,
  ): Promise<GitResult>;
  /** The first address of a remote in the repository's configuration. Starts no process. */
  remote(folder: string, name: string): Promise<string | undefined>;
  /**
   * Settings of branches or remotes in the repository's configuration, in its order, as far as git is given them here.
   * Starts no process.
   */
  settings(folder: string, section: "branch" | "remote"): Promise<GitSetting[]>;
}
