import type { Run } from "@gantry/plugin";
import { createGitCaller } from "./call-git.ts";
import { failed } from "./failed.ts";
import { findPrograms } from "./find-programs.ts";
import {
  findRepository,
  inspectRepository,
  type Repository,
} from "./find-repository.ts";
import type {
  Git,
  GitCommand,
  GitOptions,
  GitResult,
  GitWriteCommand,
  GitWriteOptions,
} from "./git.ts";
import { openGitViews, type GitView } from "./git-views.ts";
import { keepSettings } from "./kept-settings.ts";
import { planReadingGit } from "./plan-reading-git.ts";
import { readNewFiles } from "./read-new-files.ts";
import { readUserSettings } from "./user-settings.ts";
import { writeGit } from "./write-git.ts";

const MAX_REVISION_LENGTH = 1024;
const FULL_HASH = /^([0-9a-f]{40}|[0-9a-f]{64})$/;

/** Options with which git reads outside of the repository, or that the wrapper sets. */
const NEVER = /^(--(no-index|contents|paginate|end-of-options)\b|-O|--$)/;

/** Dependencies of {@link createGit}. */
export interface GitHost {
  /** The plugin's `ctx.run`. */
  run: Run;
  /** A folder of the plugin alone for what can be made again. Emptied at the first use. */
  cache: string;
}

/**
 * Creates what reads repositories for a plugin.
 *
 * @example
 * const git = createGit({ run: ctx.run, cache: join(ctx.home, "cache", "notes-git") });
 * const { stdout } = await git(folder, "status", ["--porcelain"]);
 */
export function createGit({ run, cache }: GitHost): Git {
  const caller = createGitCaller(run);
  const views = openGitViews(cache);

  async function read(
    folder: string,
    args: readonly string[],
    options: GitOptions = {},
  ): Promise<GitResult> {
    return await inView(folder, (view) =>
      caller.call(folder, args, view, options),
    );
  }

  /** Calls git on the view of the repository that a folder is in. */
  async function inView(
    folder: string,
    work: (view: GitView, repository: Repository) => Promise<GitResult>,
  ): Promise<GitResult> {
    await caller.findProgram("git");
    const repository = await inspectRepository(folder);
    if (!repository) return failed("not a git repository");
    if ("refusal" in repository) return failed(repository.refusal);
    const view = await views.open(repository);
    if (typeof view === "string") return failed(view);
    try {
      return await work(view, repository);
    } finally {
      view.release();
    }
  }

  return Object.assign(
    (
      folder: string,
      command: GitCommand,
      args: readonly string[] = [],
      options: GitOptions = {},
    ) => {
      return read(folder, toArguments(command, args), options);
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
      common: async (folder: string) => (await findRepository(folder))?.common,
      async refusal(folder: string): Promise<string | undefined> {
        const found = await inspectRepository(folder);
        return found && "refusal" in found ? found.refusal : undefined;
      },
      async branch(folder: string): Promise<string | undefined> {
        // The full name: what `--short` gives depends on what else has that name.
        const { stdout } = await read(folder, ["symbolic-ref", "-q", "HEAD"]);
        return /^refs\/heads\/(.+)\n$/.exec(stdout)?.[1];
      },
      write: async (
        folder: string,
        command: GitWriteCommand,
        args: readonly string[],
        options: GitWriteOptions,
      ) =>
        await inView(folder, (view, { folder: own, common }) =>
          writeGit(
            caller,
            view,
            { folder, own, common },
            ...([command, args, options] as const),
          ),
        ),
      async programs(folder: string) {
        const repository = await findRepository(folder);
        return (
          repository &&
          (await findPrograms(repository, await readUserSettings(caller)))
        );
      },
      newFilesPatch: async (
        folder: string,
        paths: readonly (string | Uint8Array)[],
        args: readonly string[] = [],
        options: GitOptions = {},
      ) => {
        const words = toArguments("diff", args);
        return await inView(folder, (view) =>
          views.inEmptyFolder((own) =>
            readNewFiles(caller, view, own, folder, paths, words, options),
          ),
        );
      },
      async remote(folder: string, name: string): Promise<string | undefined> {
        const repository = await findRepository(folder);
        if (!repository) return undefined;
        const { entries = [] } = repository.config;
        const found = entries.find(
          ({ section, subsection, key }) =>
            section === "remote" && subsection === name && key === "url",
        );
        return found?.value ? toText(found.value) : undefined;
      },
      async settings(folder: string, section: "branch" | "remote") {
        const { entries = [] } = (await findRepository(folder))?.config ?? {};
        return keepSettings(entries)
          .filter((entry) => entry.section === section)
          .map(({ subsection, key, value }) => ({
            name: subsection === undefined ? undefined : toText(subsection),
            key,
            value: toText(value ?? ""),
          }));
      },
    },
  );
}

/** @throws TypeError for an argument that would write, start a program or read outside of the repository */
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

/** A part of a configuration, which is read with a character for each byte. */
function toText(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString();
}
