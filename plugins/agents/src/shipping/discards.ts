import type { Git, PrivateGit } from "@gantry/git-kit";
import type { Checkpoints } from "../checkpoints/checkpoints.ts";
import { findPlace } from "../checkpoints/find-place.ts";
import { keepContents } from "../checkpoints/keep-files.ts";
import type { KeptWrites } from "../checkpoints/kept-writes.ts";
import {
  checkPlan,
  planRestore,
  type PlannedFile,
} from "../checkpoints/plan-restore.ts";
import type { SnapshotStore } from "../checkpoints/snapshot-store.ts";
import { errors } from "../errors.ts";
import type { AgentFolder } from "../folder/agent-folder.ts";
import { findFiltered } from "./find-filtered.ts";
import type { GitTrust } from "./git-trust.ts";
import {
  hunkChanged,
  type HunkStaging,
  type ShownHunk,
} from "./hunk-staging.ts";
import { planDiscard, type Discarded } from "./plan-discard.ts";
import { planHunkDiscard } from "./plan-hunk-discard.ts";

/** Paths of a discard that the list of discards names. */
const MAX_NAMED = 5;

/** What is discarded: whole files, or one hunk. */
export type DiscardInput = { paths: readonly string[] } | { hunk: ShownHunk };

/** A discard that can be undone. */
export interface DiscardItem {
  undoId: string;
  at: string;
  paths: string[];
  isHunk: boolean;
}

/** Dependencies of {@link Discards}. */
export interface DiscardsHost {
  git: Git;
  privateGit: PrivateGit;
  trust: GitTrust;
  checkpoints: Checkpoints;
  writes: KeptWrites;
  /** Whether the agent works, or is about to. */
  isBusy(agentId: string): boolean;
}

/** Takes changes in an agent's folder back to the last commit. What was there is kept first, so that it can be undone. */
export class Discards {
  readonly #host: DiscardsHost;
  readonly #hunks: HunkStaging;

  constructor(host: DiscardsHost, hunks: HunkStaging) {
    this.#host = host;
    this.#hunks = hunks;
  }

  /**
   * Not while the agent works: it may be writing the same file, and what is discarded would count as a change of its turn.
   *
   * @returns the id with which it is undone; `null` if nothing was to be written
   */
  async discard(
    agentId: string,
    folder: AgentFolder,
    input: DiscardInput,
  ): Promise<string | null> {
    const { git, trust, checkpoints, writes, isBusy } = this.#host;
    const { root } = folder;
    const place = await findPlace(git, root);
    if (!place || "refusal" in place) throw errors.AGENT_FOLDER_GONE();
    return await checkpoints.stores.use(place, async (store) => {
      if (isBusy(agentId)) throw errors.AGENT_BUSY({ id: agentId });
      const at = { agentId, folder, store };
      await writes.repair(at);
      const programs = await trust.read(root);
      const isHunk = "hunk" in input;
      const { files, index } = isHunk
        ? await planHunkDiscard(git, this.#hunks, folder, input.hunk, programs)
        : await planDiscard(git, folder, input.paths, programs);
      const filtered = await findFiltered(
        git,
        root,
        files.map(({ path }) => path),
        programs.trusted ? programs.filters : [],
      );
      const planned = await this.#plan(folder, store, files);
      if (isHunk && planned.some(({ changedSince }) => changedSince))
        throw hunkChanged(input.hunk);
      checkPlan(planned, true);
      if (
        index.length === 0 &&
        planned.every(({ action }) => action === "unchanged")
      )
        return null;
      const paths = isHunk ? [input.hunk.path] : input.paths;
      return await writes.write(at, {
        ...{ kind: "discard", of: null, planned, index },
        isFiltered: filtered.length > 0,
        discard: {
          head: (await git.resolve(root, "HEAD")) ?? null,
          paths: paths.slice(0, MAX_NAMED),
          isHunk,
        },
      });
    });
  }

  /** Discards since the last commit that are not undone, the newest first. */
  async list(agentId: string, folder: AgentFolder): Promise<DiscardItem[]> {
    const { git, writes } = this.#host;
    const place = await findPlace(git, folder.root);
    if (!place || "refusal" in place) return [];
    const head = (await git.resolve(folder.root, "HEAD")) ?? null;
    const changes = await writes.read(agentId, folder, place);
    return changes
      .toReversed()
      .flatMap(({ id, at, undone, discard }) =>
        discard && !undone && discard.head === head
          ? [{ undoId: id, at, paths: discard.paths, isHunk: discard.isHunk }]
          : [],
      );
  }

  /** Stores what files become, and compares that with what they are. */
  async #plan(
    folder: AgentFolder,
    store: SnapshotStore,
    files: readonly Discarded[],
  ): Promise<PlannedFile[]> {
    await store.prepare();
    async function* contents() {
      for (const { mode, content } of files)
        if (mode !== undefined) yield await content();
    }
    const { privateGit } = this.#host;
    const hashes = await keepContents(privateGit, store.places, contents());
    const changed = files.map(({ path, mode, now: after }) => {
      const before =
        mode === undefined ? undefined : { mode, hash: hashes.shift() ?? "" };
      return { path, before, after };
    });
    return await planRestore(folder, changed);
  }
}
