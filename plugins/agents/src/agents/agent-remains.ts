import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { conversationsFolder } from "../clis/practice-cli.ts";
import type { DropBoxes } from "../folder/drop-boxes.ts";
import type { SessionLocks } from "../live/session-locks.ts";
import {
  listConversations,
  removeConversation,
} from "../practice/conversation-files.ts";
import type { Attachments } from "../queue/attachments.ts";
import type { Records } from "../records/records.ts";
import type { RemovalRecord } from "../records/removal-record.ts";
import type { Transcripts } from "../transcript/transcripts.ts";
import type { Worktrees } from "../worktrees/worktrees.ts";
import type { WorkFolders } from "./work-folders.ts";

/** Dependencies of {@link AgentRemains}. */
export interface AgentRemainsHost {
  records: Records;
  transcripts: Transcripts;
  attachments: Attachments;
  dropBoxes: DropBoxes;
  locks: SessionLocks;
  workFolders: WorkFolders;
  worktrees: Worktrees;
  /** The plugin's folder. */
  folder: string;
  /** Removes what is kept of folders as they were before its turns. */
  forgetCheckpoints(agentId: string): Promise<void>;
}

/** The files of agents that were deleted. */
export class AgentRemains {
  readonly #host: AgentRemainsHost;
  /** Pictures that were there before any request: later ones may wait for their task to be written. */
  readonly #pictures: readonly { file: string; taskId: string }[];

  private constructor(
    host: AgentRemainsHost,
    pictures: readonly { file: string; taskId: string }[],
  ) {
    this.#host = host;
    this.#pictures = pictures;
  }

  /** To be called before anything is served. */
  static async create(host: AgentRemainsHost): Promise<AgentRemains> {
    return new AgentRemains(host, await host.attachments.list());
  }

  /**
   * Removes the files of an agent. What cannot be removed does not keep the rest. Harmless twice.
   *
   * @returns why something is left; nothing if all is gone
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
      this.#host.forgetCheckpoints(id),
      locks.sweep(id).then(throwFirst),
      ...(workFolder ? [this.#removeWorkFolder(workFolder, id)] : []),
    ]);
    return outcomes.flatMap((outcome) =>
      outcome.status === "rejected" ? [outcome.reason as unknown] : [],
    );
  }

  /** What drivers keep of an agent. */
  async #removeSessions(id: string): Promise<void> {
    const path = join(this.#host.folder, "sessions", id);
    await rm(path, { recursive: true, force: true });
  }

  /** The conversations of the practice agent, except those that another agent still uses. */
  async #removeConversations({ id, sessionId }: RemovalRecord): Promise<void> {
    const folder = conversationsFolder(this.#host.folder);
    const isTheirs = (file: { id: string; agentId: string | null }) =>
      file.agentId === id || (file.agentId === null && file.id === sessionId);
    const theirs = (await listConversations(folder)).filter(isTheirs);
    if (theirs.length === 0) return;
    const used = await sessionsInUse(this.#host.records);
    for (const file of theirs)
      if (!used.has(file.id)) await removeConversation(folder, file.id);
  }

  async #removeWorkFolder(
    workFolder: NonNullable<RemovalRecord["workFolder"]>,
    id: string,
  ): Promise<void> {
    await this.#host.workFolders.remove(workFolder, id);
    if (workFolder.repository !== null)
      await this.#host.worktrees.forgetGone(workFolder.repository);
    // Trust was given to what was there, not to what another agent may have there.
    const { trust } = this.#host.records;
    const isThere = ({ path }: { path: string }) =>
      path === workFolder.path || path.startsWith(`${workFolder.path}/`);
    const { items } = await trust.list({ limit: 500, filter: isThere });
    for (const item of items) await trust.remove(item.id);
  }

  /**
   * Removes files that belong to no agent, as a crash may leave them. Stops early when aborted.
   *
   * @returns what could not be removed
   */
  async sweepOrphans(signal: AbortSignal): Promise<unknown[]> {
    const failures = [
      ...(await this.#host.locks.sweep()),
      ...(await this.#host.workFolders.sweep()),
    ];
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
    const folder = conversationsFolder(this.#host.folder);
    const used = await sessionsInUse(records);
    for (const { id, agentId } of await listConversations(folder))
      if (agentId !== null && !used.has(id) && (await isDeleted(agentId)))
        yield () => removeConversation(folder, id);
  }
}

function throwFirst(failures: readonly unknown[]): void {
  if (failures.length > 0) throw failures[0];
}

/** The conversations of CLIs that agents continue. */
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
