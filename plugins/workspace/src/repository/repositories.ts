import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type AgentFolder, parsePath } from "@gantry/agent-folder";
import type { Clock, Git, PluginContext, Run } from "@gantry/plugin";
import type { AgentDirectory } from "@gantry/plugin-agents/contract";
import { readCommit, readFileAt } from "./commit.ts";
import { placeOf, readHistory, readRefs, startOf } from "./history.ts";
import { readPatch } from "./patch.ts";
import { PullRequests } from "./pull-requests.ts";
import { resolveRevision } from "./revision.ts";
import { RepositoryMarks } from "./repository-marks.ts";
import { readStatus } from "./status.ts";
import { readBranch } from "./branch-state.ts";
import { readWorktrees } from "./worktrees.ts";

/** Dependencies of {@link Repositories}. */
interface RepositoriesHost {
  git: Git;
  run: Run;
  clock: Clock;
  directory: AgentDirectory;
  signal: AbortSignal;
  /** An empty folder. */
  folder: string;
}

/** The answer for a folder that is in no repository. */
const NONE = { git: false } as const;

/** Reads the repositories that agents' folders are in, and changes none of them. */
export class Repositories {
  readonly pullRequests: PullRequests;
  readonly #host: RepositoriesHost;
  readonly #marks: RepositoryMarks;

  private constructor(host: RepositoriesHost) {
    this.#host = host;
    this.pullRequests = new PullRequests(host);
    this.#marks = new RepositoryMarks(host);
  }

  /** Makes the readers, with an empty folder of the plugin's own to run `gh` in. */
  static async create(
    ctx: Pick<PluginContext, "git" | "run" | "clock" | "signal" | "folder">,
    directory: AgentDirectory,
  ): Promise<Repositories> {
    const { git, run, clock, signal } = ctx;
    const folder = join(await ctx.folder(), "empty");
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return new Repositories({ git, run, clock, directory, signal, folder });
  }

  /** One page of the graph; the first also has branches, tags and working trees. */
  async history(
    folder: AgentFolder,
    cursor: string | undefined,
    limit: number,
  ) {
    const { git } = this.#host;
    return await this.#in(folder, async (path) => {
      if (cursor !== undefined) {
        const page = await readHistory(git, path, placeOf(cursor), limit);
        return { ...page, head: null, refs: [], worktrees: [] };
      }
      const [hash, named, refs, worktrees] = await Promise.all([
        git.resolve(path, "HEAD"),
        git(path, "symbolic-ref", ["--short", "-q", "HEAD"]),
        readRefs(git, path),
        readWorktrees(this.#host, path),
      ]);
      const branch = named.code === 0 ? named.stdout.replace(/\n$/, "") : null;
      const page = await readHistory(
        git,
        path,
        startOf(hash, refs.items),
        limit,
      );
      return {
        ...page,
        head: { hash: hash ?? null, branch },
        refs: refs.items,
        worktrees,
        truncated: page.truncated || refs.truncated,
      };
    });
  }

  /** A mark to poll, which changes with the repository. */
  async mark(folder: AgentFolder) {
    return await this.#in(folder, (path) => this.#marks.of(path));
  }

  async status(folder: AgentFolder) {
    return await this.#in(folder, (path) =>
      readStatus(this.#host.git, path, "all"),
    );
  }

  /** The changes since the last commit, of one file or of all tracked files. */
  async diff(folder: AgentFolder, path?: string, from?: string) {
    const clean = (name?: string) =>
      name === undefined ? undefined : parsePath(name).join("/");
    const [file, before] = [clean(path), clean(from)];
    return await this.#in(folder, async () => ({
      path: path ?? null,
      ...(await readPatch(this.#host.git, folder, {
        path: file,
        from: before,
      })),
    }));
  }

  async commit(folder: AgentFolder, revision: string) {
    const { git } = this.#host;
    return await this.#in(folder, async (path) =>
      readCommit(git, path, await resolveRevision(git, path, revision)),
    );
  }

  async fileAt(folder: AgentFolder, revision: string, path: string) {
    const { git } = this.#host;
    const name = parsePath(path).join("/");
    return await this.#in(folder, async (root) =>
      readFileAt(git, root, await resolveRevision(git, root, revision), name),
    );
  }

  /** The branch compared with the default one; `null` without a repository. */
  async branch(folder: AgentFolder) {
    const state = await this.#in(folder, (path) =>
      readBranch(this.#host.git, path),
    );
    return state.git ? state : null;
  }

  async #in<Answer extends object>(
    folder: AgentFolder,
    read: (path: string) => Promise<Answer>,
  ): Promise<typeof NONE | ({ git: true } & Answer)> {
    const root = await this.#host.git.root(folder.root);
    return root === undefined
      ? NONE
      : { git: true, ...(await read(folder.root)) };
  }
}
