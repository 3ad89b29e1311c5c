import { relative } from "node:path";
import type { Git } from "@gantry/git-kit";
import { toVisibleText, type PluginContext } from "@gantry/plugin";
import { errors } from "../errors.ts";
import type { AgentFolder } from "../folder/agent-folder.ts";
import { toPathBytes, toPathText } from "../repository/path-text.ts";
import { quoteWord } from "../repository/quote-word.ts";
import { readAll, readGit, splitFields } from "../repository/read-git.ts";
import { readStatus } from "../repository/status.ts";
import { commitStaged, type MadeCommit } from "./commit-staged.ts";
import { Discards, type DiscardInput, type DiscardsHost } from "./discards.ts";
import { findFiltered } from "./find-filtered.ts";
import type { GitTrust } from "./git-trust.ts";
import { HunkStaging, type ShownHunk } from "./hunk-staging.ts";
import { planPush, pushBranch, type Pushed } from "./push-branch.ts";
import { refuseUnmerged, Staging } from "./staging.ts";
import { findUnderway } from "./underway.ts";
import { readLastCommit, undoCommit } from "./undo-commit.ts";

/** Staged files outside of the agent's folder that are named. */
const MAX_OUTSIDE = 20;
/** Paths that a command for a shell names. */
const MAX_NAMED = 20;

/** Dependencies of {@link Shipping}. */
interface ShippingHost extends DiscardsHost {
  audit: PluginContext["audit"];
}

/** Takes changes from an agent's folder to where others see them: stages, commits, pushes. */
export class Shipping {
  readonly trust: GitTrust;
  readonly #git: Git;
  readonly #audit: PluginContext["audit"];
  readonly #discards: Discards;
  readonly #hunks: HunkStaging;
  readonly #staging: Staging;

  constructor(host: ShippingHost) {
    const { git, trust, audit } = host;
    this.trust = trust;
    this.#hunks = new HunkStaging(git);
    this.#discards = new Discards(host, this.#hunks);
    this.#git = git;
    this.#audit = audit;
    this.#staging = new Staging(git);
  }

  /** What is to be committed and pushed, and where that goes. */
  async read(folder: AgentFolder) {
    const git = this.#git;
    const { root } = folder;
    if ((await git.root(root)) === undefined) return await this.#refuse(root);
    const [status, underway, programs] = await readAll([
      readStatus(git, root),
      findUnderway(git, root),
      this.trust.read(root),
    ]);
    const { head } = status;
    const [last, push] = await readAll([
      head === null
        ? Promise.resolve(undefined)
        : readLastCommit(git, root, head, underway),
      planPush(git, folder, head),
    ]);
    const own = status.items.filter(({ submodule }) => submodule === null);
    const count = (is: (item: (typeof own)[number]) => boolean) =>
      own.filter(is).length;
    const commit = last?.commit;
    const filtered = await findFiltered(
      git,
      root,
      own.filter(({ staged }) => !staged).map(({ path }) => toPathBytes(path)),
      programs.filters,
    );
    return {
      git: true as const,
      branch: status.branch,
      head: commit ? { hash: commit.hash, subject: commit.subject } : null,
      underway,
      staged: count(({ staged, partlyStaged }) => staged || partlyStaged),
      unstaged: count(({ staged }) => !staged),
      conflicts: count(({ kind }) => kind === "conflicted"),
      stagedOutside: await this.#listOutside(root),
      push: typeof push === "string" ? null : push,
      pushFault: typeof push === "string" ? push : null,
      undo:
        commit && last.fault === undefined
          ? { hash: commit.hash, subject: commit.subject }
          : null,
      programs: {
        items: programs.items.map(toVisibleText),
        required: [...new Set(filtered.map(({ filter }) => filter))].map(
          (name) => `filter ${toVisibleText(name)}`,
        ),
        trusted: programs.trusted,
        mark: programs.mark,
      },
    };
  }

  /** @returns the line for a shell that does the same */
  async stage(
    folder: AgentFolder,
    paths: readonly string[],
    isStaged: boolean,
  ): Promise<string> {
    await this.#check(folder.root);
    if (isStaged)
      await this.#staging.stage(
        folder,
        paths,
        await this.trust.read(folder.root),
      );
    else
      await this.#staging.unstage(
        folder,
        await this.#withFormer(folder, paths),
      );
    const named = paths.slice(0, MAX_NAMED).map(quoteWord).join(" ");
    const more = paths.length > MAX_NAMED ? " …" : "";
    return `git ${isStaged ? "add" : "reset -q"} -- ${named}${more}`;
  }

  /** @returns the line for a shell in which the same can be done */
  async stageHunk(
    folder: AgentFolder,
    hunk: ShownHunk,
    isStaged: boolean,
  ): Promise<string> {
    await this.#check(folder.root);
    await this.#staging.refuseConflicts(folder, [hunk.path]);
    await this.#hunks.set(folder.root, hunk, isStaged);
    return `git ${isStaged ? "add" : "reset"} -p -- ${quoteWord(hunk.path)}`;
  }

  /** @returns the id with which it is undone; `null` if nothing was to be written */
  async discard(
    folder: AgentFolder,
    agentId: string,
    input: DiscardInput,
  ): Promise<{ undoId: string | null }> {
    await this.#check(folder.root);
    return { undoId: await this.#discards.discard(agentId, folder, input) };
  }

  async listDiscards(folder: AgentFolder, agentId: string) {
    return { items: await this.#discards.list(agentId, folder) };
  }

  /** @param all Whether all changes in the folder are staged first, new files too. */
  async commit(
    folder: AgentFolder,
    { message, all }: { message: string; all: boolean },
  ): Promise<MadeCommit & { command: string }> {
    await this.#check(folder.root);
    const programs = await this.trust.read(folder.root);
    if (all) await this.#staging.stageAll(folder, programs);
    const { items } = await readStatus(this.#git, folder.root);
    const conflicts = items.filter(
      ({ kind, submodule }) => kind === "conflicted" && submodule === null,
    );
    refuseUnmerged(conflicts.map(({ path }) => path));
    const made = await commitStaged(
      this.#git,
      folder,
      message,
      programs.trusted,
    );
    const command = `git commit -m ${quoteWord(message.trim())}`;
    return { ...made, command: all ? `git add -A . && ${command}` : command };
  }

  async undoCommit(folder: AgentFolder, hash: string) {
    await this.#check(folder.root);
    const message = await undoCommit(this.#git, folder.root, hash);
    return { message, command: "git reset --soft HEAD~1" };
  }

  async push(folder: AgentFolder, agentId: string): Promise<Pushed> {
    await this.#check(folder.root);
    const { trusted } = await this.trust.read(folder.root);
    const pushed = await pushBranch(this.#git, folder, trusted);
    const { remote, branch } = pushed;
    await this.#audit("agents.branch-pushed", { agentId, remote, branch });
    return pushed;
  }

  /** A file that is staged under another name is unstaged under both. */
  async #withFormer(
    { root }: AgentFolder,
    paths: readonly string[],
  ): Promise<string[]> {
    const { items } = await readStatus(this.#git, root);
    const former = new Map(items.map(({ path, from }) => [path, from]));
    return paths.flatMap((path) => {
      const from = former.get(path) ?? null;
      return from === null ? [path] : [path, from];
    });
  }

  /** Staged files outside of the agent's folder, which a commit takes up too. */
  async #listOutside(folder: string): Promise<string[]> {
    const root = (await this.#git.root(folder)) ?? folder;
    const prefix = relative(root, folder);
    if (prefix === "") return [];
    const listed = await readGit(
      this.#git,
      root,
      "diff",
      ["--cached", "--name-only", "-z"],
      { encoding: "latin1" },
    );
    const start = `${Buffer.from(prefix).toString("latin1")}/`;
    return splitFields(listed)
      .filter((name) => !name.startsWith(start))
      .slice(0, MAX_OUTSIDE)
      .map(toPathText);
  }

  /** @throws GIT_REPOSITORY_REFUSED, GIT_WRITE_FAILED where there is none */
  async #check(root: string): Promise<void> {
    if ((await this.#git.root(root)) !== undefined) return;
    await this.#refuse(root);
    throw errors.GIT_WRITE_FAILED({
      command: "add",
      reason: "the folder is in no repository; run git init in it",
    });
  }

  async #refuse(root: string): Promise<{ git: false }> {
    const reason = await this.#git.refusal(root);
    if (reason === undefined) return { git: false };
    throw errors.GIT_REPOSITORY_REFUSED({ reason: toVisibleText(reason) });
  }
}
