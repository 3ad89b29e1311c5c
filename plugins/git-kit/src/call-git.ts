import type { Run } from "@gantry/plugin";
import { gitErrors, programErrors } from "./errors.ts";
import {
  guessFailingFilters,
  LIST_FILTERS,
  runsFilters,
  withoutFilters,
} from "./failing-filters.ts";
import { GIT_CWD, readingVariables } from "./forced-settings.ts";
import type { GitOptions, GitResult } from "./git.ts";
import { printsPaths, type GitView } from "./git-views.ts";

const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_MAX_OUTPUT_BYTES = 1024 * 1024;
/** Names in patches are then ASCII, which no decoding changes. */
const QUOTED = { "core.quotePath": "true" };

/** Changes to the environment of one call. */
interface CallChanges {
  variables?: Readonly<Record<string, string>>;
  settings?: Readonly<Record<string, string>>;
  /** All variables of git, in place of those with which it only reads; `settings` have no effect then. */
  environment?: Readonly<Record<string, string | undefined>>;
}

/** Calls git on views of repositories. */
export interface GitCaller {
  /** Absolute path of a program. @throws GIT_MISSING, PROCESS_NOT_STARTED */
  findProgram(name: "git" | "xargs"): Promise<string>;
  /** Calls git once. @throws GIT_TIMEOUT */
  attempt(
    folder: string,
    args: readonly string[],
    view: GitView,
    options: GitOptions,
    changes?: CallChanges,
  ): Promise<GitResult>;
  /** Calls git, and again without the user's filters if they made it fail. @throws GIT_TIMEOUT */
  call(
    folder: string,
    args: readonly string[],
    view: GitView,
    options: GitOptions,
    changes?: CallChanges,
  ): Promise<GitResult>;
}

/** @param run The plugin's, whose programs inherit the environment of the daemon. */
export function createGitCaller(run: Run): GitCaller {
  async function findProgram(name: "git" | "xargs"): Promise<string> {
    const program = await run.find(name);
    if (program !== undefined) return program;
    if (name === "git") throw gitErrors.GIT_MISSING();
    throw programErrors.PROCESS_NOT_STARTED({
      name,
      reason:
        "it is not on the PATH of the daemon; paths that are not UTF-8 need it",
    });
  }

  async function call(
    folder: string,
    args: readonly string[],
    view: GitView,
    options: GitOptions,
    changes: CallChanges = {},
  ): Promise<GitResult> {
    const first = await attempt(folder, args, view, options, changes);
    const isFault = first.code !== 0 && !first.truncated && first.stderr !== "";
    if (!isFault || !runsFilters(args[0] ?? "")) return first;
    const listed = await attempt(folder, LIST_FILTERS, view, {});
    for (const names of guessFailingFilters(listed.stdout, first.stderr)) {
      const settings = { ...changes.settings, ...withoutFilters(names) };
      const again = await attempt(folder, args, view, options, {
        ...changes,
        settings,
      });
      if (again.code !== 0 && !again.truncated) continue;
      const told = names.map(
        (name) =>
          `warning: filter "${name}" failed, so files that need it are compared without it\n`,
      );
      const stderr = `${told.join("")}${first.stderr}${again.stderr}`;
      return { ...again, stderr };
    }
    return first;
  }

  async function attempt(
    folder: string,
    args: readonly string[],
    view: GitView,
    options: GitOptions,
    changes: CallChanges = {},
  ): Promise<GitResult> {
    const [command = ""] = args;
    const program = await findProgram("git");
    const words = ["-C", folder, ...args];
    const { file, given, input } = await toCall(program, words, options);
    const result = await run.collect(file, given, {
      cwd: GIT_CWD,
      env: {
        ...(changes.environment ?? {
          ...readingVariables(process.env, { ...QUOTED, ...changes.settings }),
          GIT_LITERAL_PATHSPECS: "1",
          // What git says is looked into, and told in the language of everything else.
          LC_ALL: "C",
        }),
        ...view.variables,
        ...changes.variables,
      },
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      maxOutputBytes: options.maxOutputBytes ?? DEFAULT_MAX_OUTPUT_BYTES,
      input,
      ...(options.encoding ? { encoding: options.encoding } : {}),
      ...(options.signal ? { signal: options.signal } : {}),
    });
    options.signal?.throwIfAborted();
    if (result.timedOut) throw gitErrors.GIT_TIMEOUT({ command });
    const { code, stdout, stderr, truncated } = result;
    return {
      code,
      stdout: printsPaths(command) ? view.showRealPaths(stdout) : stdout,
      stderr: view.showRealPaths(stderr),
      truncated,
    };
  }

  /** Arguments of a program are UTF-8 here, so those of other bytes are added by `xargs`. */
  async function toCall(
    program: string,
    words: readonly string[],
    { paths, input = "" }: GitOptions,
  ): Promise<{
    file: string;
    given: readonly string[];
    input: string | Uint8Array;
  }> {
    if (!paths) return { file: program, given: words, input };
    const texts = paths.filter((path) => typeof path === "string");
    if (texts.length === paths.length)
      return { file: program, given: [...words, "--", ...texts], input };
    const ended = paths.flatMap((path) => [Buffer.from(path), Buffer.of(0)]);
    return {
      file: await findProgram("xargs"),
      given: ["-0", program, ...words, "--"],
      input: Buffer.concat(ended),
    };
  }

  return { findProgram, attempt, call };
}
