import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Run } from "@gantry/plugin";
import { createGitCaller } from "./call-git.ts";
import type { GitOptions, GitResult } from "./git.ts";

/** Commands that a private repository is used with. */
export type PrivateGitCommand =
  | "cat-file"
  | "checkout-index"
  | "diff-files"
  | "diff-tree"
  | "ls-files"
  | "prune"
  | "repack"
  | "update-index"
  | "write-tree";

/** Where a private repository has its parts. */
export interface PrivatePlaces {
  /** Its own folder, one of the plugin's: {@link PrivateGit.create} makes it. */
  repository: string;
  /** Top folder of the files, which have nothing to do with the repository that they may be in. */
  workTree: string;
  /** The folder in it that git is started for. */
  folder: string;
  /** Its index; `index` in the repository unless said. */
  index?: string;
}

/** Settings of one call. */
export interface PrivateGitOptions extends GitOptions {
  settings?: Readonly<Record<string, string>>;
}

/** Runs git on repositories of the plugin's own, whose configuration the plugin alone writes. */
export interface PrivateGit {
  /**
   * Runs a command. Arguments are the plugin's own; paths go into `options.paths` or the input.
   *
   * Errors: `GIT_MISSING` (503), `GIT_TIMEOUT` (504).
   */
  (
    places: PrivatePlaces,
    command: PrivateGitCommand,
    args: readonly string[],
    options?: PrivateGitOptions,
  ): Promise<GitResult>;
  /**
   * Makes the repository unless it is there.
   *
   * @param excluded Lines of its `info/exclude`, which is written each time; one character for each byte.
   */
  create(repository: string, excluded: string): Promise<void>;
}

/**
 * Takes precedence over `.gitattributes`, so that files are kept byte for byte and no filter runs. `!` and not `-`: git
 * refuses a false encoding.
 */
const ATTRIBUTES =
  "* -text -ident !eol !crlf !filter !working-tree-encoding !merge\n";

/** The last line keeps what git writes for the user alone, whatever the umask. */
const CONFIG = `[core]
	repositoryformatversion = 0
	bare = false
	sharedRepository = 0600
`;

/** Settings that override those of the user and the system. */
const SETTINGS: Readonly<Record<string, string>> = {
  "core.autocrlf": "false",
  "core.filemode": "true",
  "core.ignoreStat": "false",
  "core.safecrlf": "false",
  "core.sparseCheckout": "false",
  "core.splitIndex": "false",
  "core.symlinks": "true",
  "core.untrackedCache": "false",
  "index.sparse": "false",
  // The files are small, and what is kept of them soon goes.
  "core.compression": "1",
  "gc.auto": "0",
  "pack.writeBitmapIndex": "false",
};

/**
 * Creates what runs git on repositories of the plugin's own, to keep copies of files in them. git reads neither the
 * configuration nor the objects of the repository that the files are in, and starts no program: filters and hooks are
 * switched off, those of the user included. It does read `.gitignore`, and the user's own list of files to ignore.
 *
 * @example
 * const git = createPrivateGit(ctx.run);
 * await git.create(repository, "");
 * await git({ repository, workTree, folder }, "ls-files", ["-z", "--others", "--exclude-standard"]);
 */
export function createPrivateGit(run: Run): PrivateGit {
  const caller = createGitCaller(run);
  return Object.assign(
    async (
      { repository, workTree, folder, index }: PrivatePlaces,
      command: PrivateGitCommand,
      args: readonly string[],
      { settings, ...options }: PrivateGitOptions = {},
    ) =>
      await caller.attempt(
        folder,
        [command, ...args],
        {
          variables: {
            GIT_DIR: repository,
            GIT_WORK_TREE: workTree,
            GIT_INDEX_FILE: index ?? join(repository, "index"),
          },
          showRealPaths: (text) => text,
          release: () => {},
        },
        options,
        { settings: { ...SETTINGS, ...settings } },
      ),
    {
      async create(repository: string, excluded: string): Promise<void> {
        for (const folder of ["info", "objects", "refs"])
          await mkdir(join(repository, folder), {
            recursive: true,
            mode: 0o700,
          });
        const files = {
          "info/attributes": ATTRIBUTES,
          "info/exclude": excluded,
          HEAD: "ref: refs/heads/none\n",
          config: CONFIG,
        };
        for (const [name, text] of Object.entries(files)) {
          const file = join(repository, name);
          // A git that reads it meanwhile would take a repository with an empty HEAD for none.
          await writeFile(`${file}.new`, text, {
            encoding: "latin1",
            mode: 0o600,
          });
          await rename(`${file}.new`, file);
        }
      },
    },
  );
}
