import { errors } from "../errors.ts";
import type { AgentFolder } from "../folder/agent-folder.ts";
import { showPath } from "../folder/folder-path.ts";
import type { CommitFile } from "../repository/commit.ts";
import { toPathText } from "../repository/path-text.ts";
import type { Patch } from "../repository/whole-patch.ts";
import { readEntries, type IndexChange } from "../shipping/index-entries.ts";
import { readChanges, type RecordedChange } from "./checkpoint-records.ts";
import { listChangedFiles, listFiles, readPatch } from "./compare-snapshots.ts";
import { findPlace } from "./find-place.ts";
import type { KeptWrites, KeptWritesHost } from "./kept-writes.ts";
import { checkPlan, planRestore, type PlannedFile } from "./plan-restore.ts";
import { selectFiles } from "./select-files.ts";
import type { SnapshotStore } from "./snapshot-store.ts";
import { toItem, type Restored, type TurnItem } from "./turn-item.ts";

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
export interface TurnChangesHost extends Omit<KeptWritesHost, "clock"> {
  writes: KeptWrites;
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
    const { checkpoints, git, writes } = this.#host;
    const found = await findPlace(git, folder.root);
    if (!found) return NONE;
    if ("refusal" in found)
      return { git: true as const, items: [], notice: found.refusal };
    await checkpoints.untilRecorded();
    const changes = await writes.read(agentId, folder, found);
    const turns = changes.filter(({ kind }) => kind === "turn");
    return {
      git: true as const,
      items: turns.toReversed().map((turn) => toItem(turn, changes)),
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
    const { store, change, changes } = await this.#find(
      agentId,
      folder,
      turnId,
    );
    const list = await listFiles(privateGit, store.places, change);
    const patch = await readPatch(privateGit, store.places, change);
    const notKept = change.notKept.map(
      (path) => `${path} is too large or not to be read, so it is not kept.`,
    );
    return {
      ...toItem(change, changes),
      list: list.slice(0, MAX_FILES),
      patch: patch.patch,
      truncated: patch.truncated || list.length > MAX_FILES,
      notices: [...notKept, ...patch.notices],
    };
  }

  /**
   * Puts files back to how they were before a turn, or takes back a restore or a discard. Writes nothing if it may not write everything.
   *
   * @throws TURN_CHANGES_NOT_FOUND, TURN_FILE_UNKNOWN, FILES_CHANGED_SINCE, AGENT_BUSY, and what a path can be refused for
   */
  async restore(
    agentId: string,
    folder: AgentFolder,
    turnId: string,
    { paths, preview = false, overwrite = false }: RestoreInput,
  ): Promise<Restored> {
    const { checkpoints, isBusy, writes } = this.#host;
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
      const at = { agentId, folder, store };
      await writes.repair(at);
      const { planned, files } = await plan();
      checkPlan(planned, overwrite);
      const index = await this.#planIndex(folder, change, paths, overwrite);
      const of = change.of ?? change.id;
      const isWritten =
        index.length > 0 ||
        planned.some(({ action }) => action !== "unchanged");
      if (!isWritten && !paths) await writes.settle(at, { id: of, of: null });
      const undoId = isWritten
        ? await writes.write(at, {
            ...{ kind: "restore", of, planned, index },
            isFiltered: false,
          })
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
    const { permissions = {} } = change;
    const all = (await listChangedFiles(privateGit, store.places, change)).map(
      (file) => ({ ...file, permissions: permissions[file.path] }),
    );
    if (!paths) return await planRestore(folder, all);
    const listed = await listFiles(privateGit, store.places, change);
    return await planRestore(folder, selectFiles(all, paths, listed));
  }

  /** What puts the user's index back. @throws FILES_CHANGED_SINCE */
  async #planIndex(
    { root }: AgentFolder,
    { index = [] }: RecordedChange,
    paths: readonly string[] | undefined,
    mayOverwrite: boolean,
  ): Promise<IndexChange[]> {
    const asked = index.filter(
      ({ path }) => !paths || paths.includes(toPathText(path)),
    );
    const { entries } = await readEntries(
      this.#host.git,
      root,
      asked.map(({ path }) => path),
    );
    return asked.flatMap(({ path, before, after }) => {
      const now = entries.get(path) ?? null;
      if (now === before) return [];
      if (now !== after && !mayOverwrite)
        throw errors.FILES_CHANGED_SINCE({ paths: showPath(toPathText(path)) });
      return [{ path, before: now, after: before }];
    });
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
    return { place, store, change, changes };
  }
}
