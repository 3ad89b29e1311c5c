import { createIdentifier, type Clock } from "@gantry/plugin";
import { errors } from "../errors.ts";
import type { AgentFolder } from "../folder/agent-folder.ts";
import type { CommitFile } from "../repository/commit.ts";
import { toPathText } from "../repository/path-text.ts";
import type { Patch } from "../repository/whole-patch.ts";
import type { Git, PrivateGit } from "@gantry/git-kit";
import {
  keepTree,
  readChanges,
  writeChanges,
  type RecordedChange,
} from "./checkpoint-records.ts";
import type { Checkpoints } from "./checkpoints.ts";
import { listChangedFiles, listFiles, readPatch } from "./compare-snapshots.ts";
import { NoCheckpoint } from "./no-checkpoint.ts";
import { findPlace } from "./find-place.ts";
import { checkPlan, planRestore, type PlannedFile } from "./plan-restore.ts";
import { recordChange } from "./record-change.ts";
import { selectFiles } from "./select-files.ts";
import type { SnapshotPlace, SnapshotStore } from "./snapshot-store.ts";
import { toItem, type Restored, type TurnItem } from "./turn-item.ts";
import { writeFiles } from "./write-files.ts";

const MAX_FILES = 2000;
/** Said where a folder is in no repository. */
const NONE = { git: false } as const;

/** What is to be put back. */
export interface RestoreInput {
  /** All that the turn changed, if not given. */
  paths?: readonly string[] | undefined;
  preview?: boolean | undefined;
  overwrite?: boolean | undefined;
}

/** Dependencies of {@link TurnChanges}. */
export interface TurnChangesHost {
  checkpoints: Checkpoints;
  git: Git;
  privateGit: PrivateGit;
  clock: Clock;
  /** Whether the agent works, or is about to. */
  isBusy(agentId: string): boolean;
}

/** Tells what turns changed, and puts files back to how they were before. */
export class TurnChanges {
  readonly #host: TurnChangesHost;

  constructor(host: TurnChangesHost) {
    this.#host = host;
  }

  async list(agentId: string, folder: AgentFolder) {
    const { checkpoints, git } = this.#host;
    const found = await findPlace(git, folder.root);
    if (!found) return NONE;
    if ("refusal" in found)
      return { git: true as const, items: [], notice: found.refusal };
    await checkpoints.untilRecorded();
    const { repository } = checkpoints.stores.of(found).places;
    const changes = await readChanges(repository, agentId);
    const turns = changes.filter(({ kind }) => kind === "turn");
    return {
      git: true as const,
      items: turns.toReversed().map(toItem),
      notice: checkpoints.stores.noticeOf(found),
    };
  }

  /** @throws TURN_CHANGES_NOT_FOUND */
  async read(
    agentId: string,
    folder: AgentFolder,
    turnId: string,
  ): Promise<TurnItem & Patch & { list: CommitFile[] }> {
    const { privateGit } = this.#host;
    const { store, change } = await this.#find(agentId, folder, turnId);
    const list = await listFiles(privateGit, store.places, change);
    const patch = await readPatch(privateGit, store.places, change);
    const notKept = change.notKept.map(
      (path) => `${path} is too large or not to be read, so it is not kept.`,
    );
    return {
      ...toItem(change),
      list: list.slice(0, MAX_FILES),
      patch: patch.patch,
      truncated: patch.truncated || list.length > MAX_FILES,
      notices: [...notKept, ...patch.notices],
    };
  }

  /**
   * Puts files back to how they were before a turn, or takes back a restore. Writes nothing if it may not write everything.
   *
   * @throws TURN_CHANGES_NOT_FOUND, TURN_FILE_UNKNOWN, FILES_CHANGED_SINCE, AGENT_BUSY, and what a path can be refused for
   */
  async restore(
    agentId: string,
    folder: AgentFolder,
    turnId: string,
    { paths, preview = false, overwrite = false }: RestoreInput,
  ): Promise<Restored> {
    const { checkpoints, isBusy } = this.#host;
    const { place, store, change } = await this.#find(agentId, folder, turnId);
    const plan = async () => {
      const planned = await this.#plan(folder, store, change, paths);
      const files = planned.map(({ file, action, changedSince }) => ({
        path: toPathText(file.path),
        action,
        changedSince,
      }));
      return { planned, files };
    };
    if (preview) return { files: (await plan()).files, undoId: null };
    return await checkpoints.stores.use(place, async () => {
      if (isBusy(agentId)) throw errors.AGENT_BUSY({ id: agentId });
      const { planned, files } = await plan();
      checkPlan(planned, overwrite);
      const isWritten = planned.some(({ action }) => action !== "unchanged");
      if (!isWritten && !paths)
        await this.#noteUndone(agentId, store, change, change.before);
      const undoId = isWritten
        ? await this.#write(agentId, folder, { store, place, change, planned })
        : null;
      return { files, undoId };
    });
  }

  async #plan(
    folder: AgentFolder,
    store: SnapshotStore,
    change: RecordedChange,
    paths: readonly string[] | undefined,
  ): Promise<PlannedFile[]> {
    const { privateGit } = this.#host;
    const all = await listChangedFiles(privateGit, store.places, change);
    if (!paths) return await planRestore(folder, all);
    const listed = await listFiles(privateGit, store.places, change);
    return await planRestore(folder, selectFiles(all, paths, listed));
  }

  async #write(
    agentId: string,
    folder: AgentFolder,
    {
      store,
      place,
      change,
      planned,
    }: {
      store: SnapshotStore;
      place: SnapshotPlace;
      change: RecordedChange;
      planned: readonly PlannedFile[];
    },
  ): Promise<string | null> {
    const { checkpoints, privateGit, clock } = this.#host;
    const { repository } = store.places;
    const also = planned.flatMap(({ file, action, state }) =>
      action !== "unchanged" && state.kept ? [file.path] : [],
    );
    const before = await checkpoints.stores
      .take(store, place, { also })
      .catch((cause: unknown) => {
        if (!(cause instanceof NoCheckpoint)) throw cause;
        const { message: reason } = cause;
        throw errors.CHECKPOINT_IMPOSSIBLE({ reason }, { cause });
      });
    const id = createIdentifier("trn");
    await keepTree(repository, agentId, id, "before", before.tree);
    const writing = writeFiles(privateGit, store.places, folder, planned);
    // What was written before a fault can be undone too.
    await Promise.allSettled([writing]);
    const restored = planned.filter(({ action }) => action === "restored");
    const after = await checkpoints.stores
      .take(store, place, { also: restored.map(({ file }) => file.path) })
      .catch((error: unknown) => {
        if (!(error instanceof NoCheckpoint)) throw error;
        return undefined;
      });
    const recorded =
      after &&
      (await recordChange(privateGit, store, agentId, {
        ...{ id, kind: "restore", sharedWith: [], before, after },
        at: clock.timestamp(),
        of: change.of ?? change.id,
      }));
    await this.#noteUndone(
      agentId,
      store,
      change,
      recorded?.after ?? before.tree,
    );
    await writing;
    return recorded?.id ?? null;
  }

  /** Notes whether all files of a turn are as they were before it, when a restore is over and the folder is like a tree. */
  async #noteUndone(
    agentId: string,
    store: SnapshotStore,
    change: RecordedChange,
    tree: string,
  ): Promise<void> {
    const { checkpoints, privateGit, clock } = this.#host;
    const { repository } = store.places;
    const turnId = change.of ?? change.id;
    const changes = await readChanges(repository, agentId);
    const turn = changes.find(({ id }) => id === turnId);
    if (turn) {
      const since = { before: turn.before, after: tree };
      const own = await listChangedFiles(privateGit, store.places, turn);
      const other = new Set(
        (await listChangedFiles(privateGit, store.places, since)).map(
          ({ path }) => path,
        ),
      );
      turn.undone = own.every(({ path }) => !other.has(path));
      await writeChanges(repository, agentId, changes, clock.timestamp());
    }
    await checkpoints.announce(agentId, turnId);
  }

  /** @throws TURN_CHANGES_NOT_FOUND */
  async #find(agentId: string, folder: AgentFolder, turnId: string) {
    const { checkpoints, git } = this.#host;
    const place = await findPlace(git, folder.root);
    if (!place || "refusal" in place)
      throw errors.TURN_CHANGES_NOT_FOUND({ id: turnId });
    const store = checkpoints.stores.of(place);
    const changes = await readChanges(store.places.repository, agentId);
    const change = changes.find(({ id }) => id === turnId);
    if (!change) throw errors.TURN_CHANGES_NOT_FOUND({ id: turnId });
    return { place, store, change };
  }
}
