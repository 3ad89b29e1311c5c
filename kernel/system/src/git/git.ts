import { planReadingGit } from "@gantry/plugin-helpers/reading-git";
import type {
  Git,
  GitCommand,
  GitOptions,
  GitResult,
  Run,
} from "@gantry/plugin";
import { errors } from "../errors.ts";
import { findRepository } from "./find-repository.ts";
import { GIT_CWD, readingVariables } from "./forced-settings.ts";
import { printsPaths, type GitView, type GitViews } from "./git-views.ts";
import { createReadingEnvironment } from "./reading-environment.ts";

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_MAX_OUTPUT_BYTES = 1024 * 1024;
const MAX_REVISION_LENGTH = 1024;
const FULL_HASH = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

/** Options that make git read outside the repository, or that the wrapper sets. */
const NEVER = /^(--(no-index|contents|paginate|end-of-options)\b|-O|--$)/;

/** Dependencies of `createGit`. */
export interface GitHost {
  run: Run;
  views: GitViews;
  /** The environment of the plugin's child processes. */
  environment: NodeJS.ProcessEnv;
}

/** Creates the `git` of a plugin, based on its `run`. Nothing else in the daemon runs git. */
export function createGit({ run, views, environment }: GitHost): Git {
  async function findGit(): Promise<string> {
    const program = await run.find("git");
    if (program === undefined) throw errors.GIT_MISSING();
    return program;
  }

  async function read(
    folder: string,
    args: readonly string[],
    options: GitOptions = {},
  ): Promise<GitResult> {
    const program = await findGit();
    const repository = await findRepository(folder);
    if (!repository) return failed("not a git repository");
    const view = await views.open(repository);
    if (typeof view === "string") return failed(view);
    try {
      return await call(program, folder, args, view, options);
    } finally {
      view.release();
    }
  }

  async function call(
    program: string,
    folder: string,
    args: readonly string[],
    view: GitView,
    options: GitOptions,
  ): Promise<GitResult> {
    const [command = ""] = args;
    const result = await run.collect(program, ["-C", folder, ...args], {
      cwd: GIT_CWD,
      env: {
        ...readingVariables(environment),
        GIT_LITERAL_PATHSPECS: "1",
        ...view.variables,
      },
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      maxOutputBytes: options.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES,
      input: options.input ?? "",
      ...(options.signal ? { signal: options.signal } : {}),
    });
    options.signal?.throwIfAborted();
    if (result.timedOut) throw errors.GIT_TIMEOUT({ command });
    const { code, stdout, stderr, truncated } = result;
    return {
      code,
      stdout: printsPaths(command) ? view.showRealPaths(stdout) : stdout,
      stderr: view.showRealPaths(stderr),
      truncated,
    };
  }

  return Object.assign(
    (
      folder: string,
      command: GitCommand,
      args: readonly string[] = [],
      options: GitOptions = {},
    ) => {
      const words = [...toArguments(command, args)];
      if (options.paths) words.push("--", ...options.paths);
      return read(folder, words, options);
    },
    {
      async resolve(
        folder: string,
        revision: string,
      ): Promise<string | undefined> {
        if (revision.length > MAX_REVISION_LENGTH || /[\0\n]/.test(revision))
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
      async remote(folder: string, name: string): Promise<string | undefined> {
        const repository = await findRepository(folder);
        if (!repository) return undefined;
        const { entries = [] } = repository.config;
        const found = entries.find(
          ({ section, subsection, key }) =>
            section === "remote" && subsection === name && key === "url",
        );
        return found?.value
          ? Buffer.from(found.value, "latin1").toString()
          : undefined;
      },
      readingEnvironment: async (folder: string, path?: string) =>
        await createReadingEnvironment(folder, {
          git: await run.find("git"),
          path: path ?? environment.PATH ?? "",
        }),
    },
  );
}

/** @throws TypeError for an argument that would write, start a program or read outside the repository */
function toArguments(
  command: GitCommand,
  args: readonly string[],
): readonly string[] {
  const refused = args.find((argument) => NEVER.test(argument));
  if (refused !== undefined)
    throw new TypeError(`git ${command} does not take ${refused} here.`);
  const words = command === "worktree" ? ["list", ...args] : args;
  const plan = planReadingGit([command, ...words]);
  if (!plan)
    throw new TypeError(
      `git ${[command, ...words].join(" ")} does more than read.`,
    );
  return plan.args;
}

/** The result of git for a repository that it cannot read. */
function failed(reason: string): GitResult {
  return {
    code: 128,
    stdout: "",
    stderr: `fatal: ${reason}\n`,
    truncated: false,
  };
}
