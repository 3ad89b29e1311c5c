import { resolve as resolvePath } from "node:path";
import type {
  Git,
  GitCommand,
  GitOptions,
  GitResult,
  Run,
} from "@gantry/plugin";
import { errors } from "../errors.ts";
import { findRepository } from "./find-repository.ts";
import type { Repository } from "./find-repository.ts";
import {
  overridesOf,
  parseSettings,
  settingsEnvironment,
} from "./program-settings.ts";
import type { Setting } from "./program-settings.ts";

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_MAX_OUTPUT = 1024 * 1024;
const LONGEST_REVISION = 1024;
const FULL_HASH = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

const DIFF = ["--no-ext-diff", "--no-textconv", "--ignore-submodules=all"];

/** What each command gets whatever the caller asks for. */
const ALWAYS: Readonly<Record<GitCommand, readonly string[]>> = {
  blame: ["--no-textconv"],
  "cat-file": [],
  diff: DIFF,
  "for-each-ref": [],
  log: [...DIFF, "--no-show-signature"],
  "ls-files": [],
  "ls-tree": [],
  "merge-base": [],
  "rev-list": [],
  "rev-parse": [],
  show: [...DIFF, "--no-show-signature"],
  status: ["--ignore-submodules=all"],
  "symbolic-ref": [],
  worktree: ["list"],
};

/** Options that run a program, write, or read outside of the repository. */
const NEVER =
  /^(--(output|ext-diff|textconv|filters|show-signature|no-index|contents|paginate|open-files-in-pager|recurse-submodules|ignore-submodules|delete|end-of-options)\b|-O|--$)/;

/** What git itself answers where there is no repository. */
const NO_REPOSITORY: GitResult = {
  code: 128,
  stdout: "",
  stderr: "not a git repository",
  truncated: false,
};

/**
 * Makes the `git` of a plugin, on top of its `run`. Nothing else runs git: a repository may name programs of its own choice
 * for nearly every command.
 */
export function createGit(run: Run): Git {
  async function call(
    folder: string,
    args: readonly string[],
    settings: readonly (readonly [key: string, value: string])[],
    options: GitOptions,
  ): Promise<GitResult> {
    const program = await run.find("git");
    if (program === undefined) throw errors.GIT_MISSING();
    const result = await run.collect(program, args, {
      cwd: folder,
      env: { ...withoutGit(), ...QUIET, ...settingsEnvironment(settings) },
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      maxOutputBytes: options.maxOutputBytes ?? DEFAULT_MAX_OUTPUT,
      input: options.input ?? "",
      ...(options.signal ? { signal: options.signal } : {}),
    });
    options.signal?.throwIfAborted();
    if (result.timedOut) throw errors.GIT_TIMEOUT({ command: args[0] ?? "" });
    const { code, stdout, stderr, truncated } = result;
    return { code, stdout, stderr, truncated };
  }

  async function read(
    folder: string,
    args: readonly string[],
    options: GitOptions = {},
  ): Promise<GitResult> {
    const repository = await findRepository(folder);
    if (!repository) return NO_REPOSITORY;
    // Reading settings runs nothing.
    const listed = await call(
      folder,
      ["config", "--list", "--show-scope", "--includes", "-z"],
      overridesOf([]),
      options.signal ? { signal: options.signal } : {},
    );
    if (listed.code !== 0) return listed;
    // A program whose setting was cut off would run.
    if (listed.truncated) return NO_REPOSITORY;
    const settings = parseSettings(listed.stdout);
    if (!hasOwnWorkingTree(repository, settings)) return NO_REPOSITORY;
    return await call(folder, args, overridesOf(settings), options);
  }

  return Object.assign(
    (
      folder: string,
      command: GitCommand,
      args: readonly string[] = [],
      options: GitOptions = {},
    ) => {
      checkArguments(command, args);
      const paths = options.paths ? ["--", ...options.paths] : [];
      return read(
        folder,
        [command, ...ALWAYS[command], ...args, ...paths],
        options,
      );
    },
    {
      async resolve(
        folder: string,
        revision: string,
      ): Promise<string | undefined> {
        if (revision.length > LONGEST_REVISION || /[\0\n]/.test(revision))
          return undefined;
        const { code, stdout } = await read(folder, [
          "rev-parse",
          "--verify",
          "--quiet",
          "--end-of-options",
          `${revision}^{commit}`,
        ]);
        const hash = stdout.trim();
        return code === 0 && FULL_HASH.test(hash) ? hash : undefined;
      },
      root: async (folder: string) => (await findRepository(folder))?.root,
    },
  );
}

function checkArguments(command: GitCommand, args: readonly string[]): void {
  const refused = args.find((argument) => NEVER.test(argument));
  if (refused !== undefined)
    throw new TypeError(`git ${command} does not take ${refused} here.`);
  // With a second name it would move the first.
  const names = args.filter((argument) => !argument.startsWith("-"));
  if (command === "symbolic-ref" && names.length > 1)
    throw new TypeError("git symbolic-ref only reads here.");
}

/** A repository may say that its files lie elsewhere, in a folder that nobody opened. */
function hasOwnWorkingTree(
  { root, folder }: Repository,
  settings: readonly Setting[],
): boolean {
  return settings
    .filter(({ key }) => key === "core.worktree")
    .every(({ value }) => resolvePath(folder, value) === root);
}

/** Nobody to ask, nothing to lock, nothing to fetch; paths are paths. */
const QUIET = {
  GIT_ALLOW_PROTOCOL: "",
  GIT_ASKPASS: "",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_NO_LAZY_FETCH: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_PAGER: "cat",
  GIT_TERMINAL_PROMPT: "0",
  SSH_ASKPASS: "",
} as const;

/** Takes away what the daemon's own environment would tell git, such as another repository. */
function withoutGit(): Record<string, undefined> {
  const names = Object.keys(process.env).filter((name) =>
    name.startsWith("GIT_"),
  );
  return Object.fromEntries(names.map((name) => [name, undefined]));
}
