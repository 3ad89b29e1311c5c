import { lstat, rm, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import type { Git } from "@gantry/git-kit";
import { toVisibleText, type StoreOperation } from "@gantry/plugin";
import { toSlug } from "../agents/slug.ts";
import type { WorkFolders } from "../agents/work-folders.ts";
import { errors } from "../errors.ts";
import type { AgentWorktree } from "../records/agent-record.ts";
import type { Records } from "../records/records.ts";
import { readGit, splitFields } from "../repository/read-git.ts";
import { isRefName } from "../repository/revision.ts";
import type { GitTrust } from "../shipping/git-trust.ts";
import { findFiltered } from "../shipping/find-filtered.ts";
import { toWriteError } from "../shipping/to-write-error.ts";

/** A large repository takes a while to be checked out. */
const ADD_TIMEOUT_MS = 10 * 60_000;
const MAX_LISTED_BYTES = 64 * 1024 * 1024;
/** Files that are named. */
const MAX_NAMED = 20;

/** Dependencies of {@link Worktrees}. */
interface WorktreesHost {
  git: Git;
  trust: GitTrust;
  workFolders: WorkFolders;
  removals: Records["removals"];
}

/** What is wanted for a new agent. */
interface WantedWorktree {
  /** A folder in the repository. */
  cwd: string;
  /** The agent's. */
  name: string;
  /** The new branch; made from the name if missing. */
  branch?: string | null | undefined;
  /** The command that is to prepare it. */
  setup: string | null;
}

/** Where a new agent works. */
export interface MadeWorktree {
  cwd: string;
  worktree: AgentWorktree;
  /** To be stored together with the agent: a working tree without one is removed at the next start. */
  operations: StoreOperation[];
}

/** What would be lost with a working tree. */
export interface WorktreeLoss {
  branch: string;
  /** The first files with changes that are in no commit. */
  changed: string[];
  changes: number;
  /** The first files and folders that git ignores, such as what a setup command installed. */
  ignored: string[];
  /** Commits that no other branch has; they stay. */
  commits: number;
}

/** Working trees that are made for agents, each on a branch of its own. */
export class Worktrees {
  readonly #host: WorktreesHost;

  constructor(host: WorktreesHost) {
    this.#host = host;
  }

  /**
   * Makes a working tree of the repository that a folder is in, at the commit that is checked out there.
   *
   * @throws WORKTREE_IMPOSSIBLE, REVISION_INVALID, GIT_BUSY, GIT_WRITE_FAILED
   */
  async make(agentId: string, wanted: WantedWorktree): Promise<MadeWorktree> {
    const { workFolders, removals } = this.#host;
    const { cwd, name, setup } = wanted;
    const { root, trusted } = await this.#findRepository(cwd);
    const head = await this.#host.git.resolve(root, "HEAD");
    if (head === undefined)
      throw errors.WORKTREE_IMPOSSIBLE({
        reason: "The repository has no commit yet; make one first.",
      });
    const branch = await this.#nameBranch(root, name, wanted.branch);
    const path = await workFolders.make(name);
    const folder = await workFolders.identify(path);
    const note = await removals.insert({
      ...{ id: agentId, transcript: false, sessionId: null },
      ...{ images: [], drops: [] },
      workFolder: folder && { ...folder, repository: root },
    });
    try {
      await this.#add(root, ["--no-track", "-b", branch, path, head], trusted);
    } catch (error) {
      await rm(path, { recursive: true, force: true });
      await this.forgetGone(root);
      await removals.remove(agentId);
      throw error;
    }
    const inside = join(path, relative(root, cwd));
    const state = setup === null ? "ready" : "preparing";
    return {
      cwd: (await isFolder(inside)) ? inside : path,
      worktree: { repository: root, branch, path, setup, state },
      operations: removals.toRemove(note),
    };
  }

  /**
   * Makes a working tree again that was removed, with the commit that its branch is at.
   *
   * @throws WORKTREE_IMPOSSIBLE, GIT_BUSY, GIT_WRITE_FAILED
   */
  async makeAgain({ repository, branch, path }: AgentWorktree): Promise<void> {
    const { git } = this.#host;
    const refuse = (reason: string) => errors.WORKTREE_IMPOSSIBLE({ reason });
    if (!(await isFolder(repository)))
      throw refuse(`The repository ${repository} is gone.`);
    const { root, trusted } = await this.#findRepository(repository);
    if ((await git.resolve(root, `refs/heads/${branch}`)) === undefined)
      throw refuse(`The branch ${branch} is gone.`);
    if (await isThere(path))
      throw refuse(`There is something else at ${path}; move it away first.`);
    await this.forgetGone(root);
    await this.#add(root, [path, branch], trusted);
  }

  /** What would be lost with a working tree: files that are in no commit, or not as they are there. Commits stay on the branch. */
  async describe({ branch, path }: AgentWorktree): Promise<WorktreeLoss> {
    const { git } = this.#host;
    const listed = await git(
      path,
      "status",
      ["--porcelain", "-z", "--ignored"],
      {
        maxOutputBytes: MAX_LISTED_BYTES,
      },
    );
    const counted = await git(path, "rev-list", [
      "--count",
      `refs/heads/${branch}`,
      "--not",
      `--exclude=${branch}`,
      "--branches",
      "--remotes",
    ]);
    const { changed, ignored } = readPaths(splitFields(listed));
    return {
      branch,
      changed: changed.slice(0, MAX_NAMED),
      changes: changed.length,
      ignored: ignored.slice(0, MAX_NAMED),
      commits: Number(counted.stdout.trim()) || 0,
    };
  }

  /** Has a repository forget working trees whose folder is gone. Never rejects: git does it itself in time. */
  async forgetGone(repository: string): Promise<void> {
    await this.#host.git
      .write(repository, "worktree", ["prune"], { programs: false })
      .catch(() => undefined);
  }

  /** @throws WORKTREE_IMPOSSIBLE if there is none, or none whose files can be checked out */
  async #findRepository(
    folder: string,
  ): Promise<{ root: string; trusted: boolean }> {
    const { git, trust } = this.#host;
    const root = await git.root(folder);
    if (root === undefined) {
      const refusal = await git.refusal(folder);
      throw errors.WORKTREE_IMPOSSIBLE({
        reason: toVisibleText(refusal ?? "The folder is in no git repository."),
      });
    }
    const { filters, trusted } = await trust.read(root);
    if (!trusted) await this.#refuseFilters(root, filters);
    return { root, trusted };
  }

  async #add(
    root: string,
    args: readonly string[],
    trusted: boolean,
  ): Promise<void> {
    const result = await this.#host.git.write(
      root,
      "worktree",
      ["add", "--quiet", ...args],
      { programs: trusted, timeoutMs: ADD_TIMEOUT_MS },
    );
    if (result.code !== 0)
      throw toWriteError({ command: "worktree", programs: false }, result);
  }

  async #nameBranch(
    root: string,
    name: string,
    branch: string | null | undefined,
  ): Promise<string> {
    const { git } = this.#host;
    const isThere = async (ref: string) =>
      (await git.resolve(root, `refs/heads/${ref}`)) !== undefined;
    if (branch) {
      if (!isRefName(branch))
        throw errors.REVISION_INVALID({ revision: toVisibleText(branch) });
      if (await isThere(branch))
        throw errors.WORKTREE_IMPOSSIBLE({
          reason: `The branch ${branch} is there already; name another one.`,
        });
      return branch;
    }
    const base = `agent/${toSlug(name)}`;
    for (let count = 1; ; count += 1) {
      const ref = count === 1 ? base : `${base}-${count}`;
      if (!(await isThere(ref))) return ref;
    }
  }

  /** Without a filter, files that need it would be checked out as they are stored. */
  async #refuseFilters(
    root: string,
    filters: readonly string[],
  ): Promise<void> {
    if (filters.length === 0) return;
    const { git } = this.#host;
    const listed = await readGit(git, root, "ls-files", ["-z"], {
      encoding: "latin1",
      maxOutputBytes: MAX_LISTED_BYTES,
    });
    const [found] = await findFiltered(git, root, splitFields(listed), filters);
    if (found)
      throw errors.WORKTREE_IMPOSSIBLE({
        reason: `${toVisibleText(found.path)} needs the filter ${found.filter}, which the repository defines; let git run the programs of the repository first, on the page of an agent in it.`,
      });
  }
}

/** Paths in what `git status --porcelain -z --ignored` prints; a moved file has two, the new one first. */
function readPaths(fields: readonly string[]) {
  const paths: { changed: string[]; ignored: string[] } = {
    changed: [],
    ignored: [],
  };
  for (let at = 0; at < fields.length; at += 1) {
    const field = fields[at] ?? "";
    const kind = field.startsWith("!!") ? paths.ignored : paths.changed;
    kind.push(toVisibleText(field.slice(3)));
    if (/^(R|C|.R|.C)/.test(field)) at += 1;
  }
  return paths;
}

async function isThere(path: string): Promise<boolean> {
  return await lstat(path).then(
    () => true,
    () => false,
  );
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
