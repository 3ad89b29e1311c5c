import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { CliCatalog } from "../clis/cli-catalog.ts";
import type { DropBoxes } from "../folder/drop-boxes.ts";
import type { SessionLocks } from "../live/session-locks.ts";
import type { Attachments } from "../queue/attachments.ts";
import type { Records } from "../records/records.ts";
import type { RemovalRecord } from "../records/removal-record.ts";
import type { Transcripts } from "../transcript/transcripts.ts";
import type { WorkFolders } from "./work-folders.ts";

/** Dependencies of {@link AgentRemains}. */
export interface AgentRemainsHost {
  records: Records;
  transcripts: Transcripts;
  attachments: Attachments;
  dropBoxes: DropBoxes;
  locks: SessionLocks;
  workFolders: WorkFolders;
  catalog: CliCatalog;
  /** The plugin's folder. */
  folder: string;
}

/** Removes the files of deleted agents, and files that a crash left without an agent. */
export class AgentRemains {
  readonly #host: AgentRemainsHost;
  /** Pictures found at the start. Later ones are not swept, since their tasks may not be written yet. */
  readonly #pictures: readonly { file: string; taskId: string }[];

  private constructor(
    host: AgentRemainsHost,
    pictures: readonly { file: string; taskId: string }[],
  ) {
    this.#host = host;
    this.#pictures = pictures;
  }

  /** Call it before the first request is served. */
  static async create(host: AgentRemainsHost): Promise<AgentRemains> {
    return new AgentRemains(host, await host.attachments.list());
  }

  /**
   * Removes the files of an agent. Idempotent; a file that cannot be removed does not stop the removal of the others.
   *
   * @returns the errors of the files that could not be removed
   */
  async clear(removal: RemovalRecord): Promise<unknown[]> {
    const { transcripts, attachments, dropBoxes, locks } = this.#host;
    const { id, workFolder, images, drops } = removal;
    const outcomes = await Promise.allSettled([
      transcripts.forget(id, removal.transcript),
      ...images.map((file) => attachments.remove([{ file }])),
      ...drops.map((drop) => dropBoxes.remove(drop)),
      this.#removeSessions(id),
      this.#removeConversations(removal),
      locks.sweep(id).then(throwFirst),
      ...(workFolder ? [this.#removeWorkFolder(workFolder, id)] : []),
    ]);
    return outcomes.flatMap((outcome) =>
      outcome.status === "rejected" ? [outcome.reason as unknown] : [],
    );
  }

  /** Removes the files that drivers keep for the sessions of an agent. */
  async #removeSessions(id: string): Promise<void> {
    const path = join(this.#host.folder, "sessions", id);
    await rm(path, { recursive: true, force: true });
  }

  /** Removes the CLIs' own copies of the conversation below the plugin's folder, unless another agent still uses them. */
  async #removeConversations({ id, sessionId }: RemovalRecord): Promise<void> {
    const { catalog, records } = this.#host;
    const isTheirs = (one: { id: string; agentId: string | null }) =>
      one.agentId === id || (one.agentId === null && one.id === sessionId);
    for (const kept of catalog.keptConversations) {
      const theirs = (await kept.list()).filter(isTheirs);
      if (theirs.length === 0) continue;
      const used = await sessionsInUse(records);
      for (const one of theirs)
        if (!used.has(one.id)) await kept.remove(one.id);
    }
  }

  async #removeWorkFolder(
    workFolder: NonNullable<RemovalRecord["workFolder"]>,
    id: string,
  ): Promise<void> {
    await this.#host.workFolders.remove(workFolder, id);
    // Trust was given to this folder's content; a later folder at the same path must not inherit it.
    const { trust } = this.#host.records;
    const isThere = ({ path }: { path: string }) =>
      path === workFolder.path || path.startsWith(`${workFolder.path}/`);
    const { items } = await trust.list({ limit: 500, filter: isThere });
    for (const item of items) await trust.remove(item.id);
  }

  /**
   * Removes files that belong to no agent, as a crash may leave them. Stops early when aborted.
   *
   * @returns the errors of the files that could not be removed
   */
  async sweepOrphans(signal: AbortSignal): Promise<unknown[]> {
    const failures = await this.#host.locks.sweep();
    for await (const remove of this.#findOrphans()) {
      if (signal.aborted) break;
      await remove().catch((error: unknown) => failures.push(error));
    }
    return failures;
  }

  async *#findOrphans(): AsyncGenerator<() => Promise<void>> {
    const { records, attachments } = this.#host;
    const isDeleted = async (agentId: string) =>
      (await records.agents.get(agentId)) === undefined;
    const sessions = join(this.#host.folder, "sessions");
    for (const id of await readdir(sessions).catch(() => []))
      if (await isDeleted(id)) yield () => this.#removeSessions(id);
    for (const { file, taskId } of this.#pictures) {
      const task = await records.tasks.get(taskId);
      if (!task?.images.some((image) => image.file === file))
        yield () => attachments.remove([{ file }]);
    }
    const used = await sessionsInUse(records);
    for (const kept of this.#host.catalog.keptConversations)
      for (const { id, agentId } of await kept.list())
        if (agentId !== null && !used.has(id) && (await isDeleted(agentId)))
          yield () => kept.remove(id);
  }
}

function throwFirst(failures: readonly unknown[]): void {
  if (failures.length > 0) throw failures[0];
}

/** Ids of the CLI sessions that agents continue. */
async function sessionsInUse({ agents }: Records): Promise<Set<string>> {
  const used = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await agents.list({ limit: 500, cursor });
    for (const { sessionId } of page.items)
      if (sessionId !== null) used.add(sessionId);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return used;
}
