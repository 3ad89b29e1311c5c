import type { Git, PrivateGit } from "@gantry/git-kit";
import { createIdentifier, isGantryError, type Clock } from "@gantry/plugin";
import type { AgentFolder } from "../folder/agent-folder.ts";
import {
  readEntries,
  refreshIndex,
  writeEntries,
  type IndexChange,
} from "../shipping/index-entries.ts";
import {
  keepTree,
  readChanges,
  writeChanges,
  type RecordedChange,
} from "./checkpoint-records.ts";
import type { Checkpoints } from "./checkpoints.ts";
import { listChangedFiles, type KeptFile } from "./compare-snapshots.ts";
import { keepFiles, keepTreeOf } from "./keep-files.ts";
import { planRestore, type PlannedFile } from "./plan-restore.ts";
import { recordChange } from "./record-change.ts";
import type { SnapshotPlace, SnapshotStore } from "./snapshot-store.ts";
import { writeFiles } from "./write-files.ts";

/** A little more, since a file's time may be a little later than that of the clock. */
const SECOND_MS = 1050;

/** Dependencies of {@link KeptWrites}. */
export interface KeptWritesHost {
  checkpoints: Checkpoints;
  git: Git;
  privateGit: PrivateGit;
  clock: Clock;
}

/** What is written, and what is recorded of it. */
export interface KeptWrite extends Pick<
  RecordedChange,
  "kind" | "of" | "discard"
> {
  planned: readonly PlannedFile[];
  index: readonly IndexChange[];
  /** Whether some of them are stored through filters of the repository, which may run. */
  isFiltered: boolean;
}

/** An agent's folder, and where its files are kept. */
export interface KeptPlace {
  agentId: string;
  folder: AgentFolder;
  store: SnapshotStore;
}

/**
 * Writes files of an agent's folder so that it can be undone: what was there is kept, and recorded with what it becomes, before
 * the first byte is written. To be used in the lane of the store.
 */
export class KeptWrites {
  readonly #host: KeptWritesHost;

  constructor(host: KeptWritesHost) {
    this.#host = host;
  }

  /**
   * @returns the id with which it is undone
   * @throws CHECKPOINT_IMPOSSIBLE, GIT_BUSY, FILE_CHANGED, and what a path can be refused for; what was written by then can be undone
   */
  async write(
    at: KeptPlace,
    { planned, index, isFiltered, ...about }: KeptWrite,
  ): Promise<string> {
    const { checkpoints, privateGit, clock } = this.#host;
    const { agentId, store } = at;
    const { places } = store;
    const written = planned.filter(({ action }) => action !== "unchanged");
    const { signal } = checkpoints.stores;
    await store.prepare();
    await keepFiles(privateGit, places, written, signal);
    const keep = async (toKept: (file: PlannedFile) => KeptFile | undefined) =>
      await keepTreeOf(
        privateGit,
        places,
        written.map((each) => ({ path: each.file.path, kept: toKept(each) })),
      );
    const before = await keep(({ state }) => state.kept);
    const after = await keep(({ file }) => file.before);
    const id = createIdentifier("trn");
    await keepTree(places.repository, agentId, id, "before", before);
    await recordChange(privateGit, store, agentId, {
      ...{ ...about, id, index: [...index], isPending: true, sharedWith: [] },
      at: clock.timestamp(),
      before: { tree: before, notKept: [] },
      after: { tree: after, notKept: [] },
      permissions: permissionsOf(written),
    });
    const writing = this.#write(at, written, index);
    await Promise.allSettled([writing]);
    // A restore of a turn leaves the user's repository alone.
    if (index.length > 0 || about.kind === "discard")
      await this.#refresh(at, isFiltered);
    await this.settle(at, { id, of: about.of });
    await writing;
    return id;
  }

  async #refresh({ folder }: KeptPlace, isFiltered: boolean): Promise<void> {
    const { git, clock } = this.#host;
    // git compares files that are not older than its index, by seconds; what reads them here has no filters for that.
    if (isFiltered)
      await new Promise<void>((resolve) => clock.after(SECOND_MS, resolve));
    await refreshIndex(git, folder.root, isFiltered);
  }

  /** The index first, since another git may hold it. */
  async #write(
    { folder, store }: KeptPlace,
    written: readonly PlannedFile[],
    index: readonly IndexChange[],
  ): Promise<void> {
    const { git, privateGit } = this.#host;
    const { root } = folder;
    await writeEntries(git, root, index);
    try {
      await writeFiles(privateGit, store.places, folder, written);
    } catch (error) {
      const back = index.map(({ path, before, after }) => ({
        ...{ path, before: after, after: before },
      }));
      await writeEntries(git, root, back).catch(() => {});
      throw error;
    }
  }

  /** Notes that a change is over, and whether the turn or the discard that it is about is undone now. */
  async settle(
    { agentId, folder, store }: KeptPlace,
    { id, of }: Pick<RecordedChange, "id" | "of">,
  ): Promise<void> {
    const { checkpoints, clock } = this.#host;
    const { repository } = store.places;
    const changes = await readChanges(repository, agentId);
    const subject = changes.find((change) => change.id === (of ?? id));
    for (const change of changes) if (change.id === id) delete change.isPending;
    if (subject) subject.undone = await this.#isUndone(folder, store, subject);
    await writeChanges(repository, agentId, changes, clock.timestamp());
    await checkpoints.announce(agentId, of ?? id);
  }

  /** Settles what was cut off, such as by the end of the daemon. */
  async repair(at: KeptPlace): Promise<void> {
    const changes = await readChanges(at.store.places.repository, at.agentId);
    for (const change of changes)
      if (change.isPending) await this.settle(at, change);
  }

  /** What is recorded of an agent, with what was cut off settled. Not to be called in the lane of the store. */
  async read(
    agentId: string,
    folder: AgentFolder,
    place: SnapshotPlace,
  ): Promise<RecordedChange[]> {
    const { stores } = this.#host.checkpoints;
    const { repository } = stores.of(place).places;
    const changes = await readChanges(repository, agentId);
    if (!changes.some(({ isPending }) => isPending)) return changes;
    return await stores.use(place, async (store) => {
      await this.repair({ agentId, folder, store });
      return await readChanges(repository, agentId);
    });
  }

  async #isUndone(
    folder: AgentFolder,
    store: SnapshotStore,
    change: RecordedChange,
  ): Promise<boolean> {
    const { git, privateGit } = this.#host;
    const index = change.index ?? [];
    try {
      const files = await listChangedFiles(privateGit, store.places, change);
      const planned = await planRestore(folder, files);
      const paths = index.map(({ path }) => path);
      const { entries } = await readEntries(git, folder.root, paths);
      return (
        planned.every(({ action }) => action === "unchanged") &&
        index.every(
          ({ path, before }) => (entries.get(path) ?? null) === before,
        )
      );
    } catch (error) {
      // A file that cannot be read is not as it was.
      if (!isGantryError(error)) throw error;
      return false;
    }
  }
}

/** Of files that are removed: git knows of no others than those to execute. */
function permissionsOf(
  written: readonly PlannedFile[],
): Record<string, number> {
  return Object.fromEntries(
    written.flatMap(({ file, action, state: { stats } }) =>
      action === "removed" && stats?.isFile()
        ? [[file.path, stats.mode & 0o777]]
        : [],
    ),
  );
}
