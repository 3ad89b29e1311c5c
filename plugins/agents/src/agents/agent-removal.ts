import { sep } from "node:path";
import type { Log } from "@gantry/plugin";
import { AgentDeleted } from "../contract.ts";
import { errors } from "../errors.ts";
import type { Fleet } from "../live/fleet.ts";
import type { TaskBook } from "../queue/task-book.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import type { Records } from "../records/records.ts";
import type { RemovalRecord } from "../records/removal-record.ts";
import type { AgentStreams } from "../stream/agent-streams.ts";
import type { AgentBook } from "./agent-book.ts";
import type { AgentGate } from "./agent-gate.ts";
import type { AgentNotes } from "./agent-notes.ts";
import type { AgentRemains } from "./agent-remains.ts";
import type { WorkFolders } from "./work-folders.ts";

/** Dependencies of {@link AgentRemoval}. */
export interface AgentRemovalHost {
  records: Records;
  book: AgentBook;
  notes: AgentNotes;
  tasks: TaskBook;
  fleet: Fleet;
  gate: AgentGate;
  streams: AgentStreams;
  workFolders: WorkFolders;
  remains: AgentRemains;
  log: Log;
  /** Ends the screen of an agent that is open in a terminal. */
  closeScreen(agentId: string): Promise<void>;
  /** Ends the programs that the user runs for an agent, and resolves when they have ended. */
  endPrograms(agentId: string): Promise<void>;
}

/** What goes with an agent. */
export interface RemovalOptions {
  /** Its conversation. */
  transcript: boolean;
  /** The folder that was made for it. A project folder is never deleted. */
  workFolder: boolean;
}

/**
 * Deletes agents, with everything that belongs to them; what turns cost stays counted. The record goes first, together with
 * a note of what else has to go, so that a crash leaves either the whole agent or a deletion that the next start finishes.
 */
export class AgentRemoval {
  readonly #host: AgentRemovalHost;
  /** What an earlier daemon left: later notes may be of worktrees whose agents are being made. */
  readonly #unfinished: readonly RemovalRecord[];

  private constructor(
    host: AgentRemovalHost,
    unfinished: readonly RemovalRecord[],
  ) {
    this.#host = host;
    this.#unfinished = unfinished;
  }

  /** To be called before anything is served. */
  static async create(host: AgentRemovalHost): Promise<AgentRemoval> {
    const unfinished: RemovalRecord[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await host.records.removals.list({
        limit: 500,
        ...(cursor ? { cursor } : {}),
      });
      unfinished.push(...page.items);
      cursor = page.nextCursor;
    }
    return new AgentRemoval(host, unfinished);
  }

  /**
   * Closes and deletes an agent. When this resolves, nothing of it runs or is left, unless a file could not be removed,
   * which is tried again at the next start.
   *
   * @throws AGENT_NOT_FOUND, and STALE_REVISION before anything is closed
   */
  async remove(
    id: string,
    options: RemovalOptions,
    revision?: number,
  ): Promise<void> {
    const { book, fleet, streams, endPrograms } = this.#host;
    await book.check(id, revision);
    let removal: RemovalRecord | undefined;
    // In the lane of starts and stops, so that nothing opens it between its closing and its end.
    await fleet.stop(id, "The agent is deleted.", async () => {
      removal = await this.#forget(id, options);
    });
    await endPrograms(id);
    streams.remove(id);
    if (removal) await this.#clear(removal);
  }

  /** The folder that was made for an agent, `null` if there is none or another agent works in it. */
  async workFolderOf(agent: AgentRecord): Promise<string | null> {
    if (!agent.ownsFolder || agent.worktree?.state === "removed") return null;
    const folder = agent.worktree?.path ?? agent.cwd;
    const isInside = ({ id, cwd }: AgentRecord) =>
      id !== agent.id && `${cwd}${sep}`.startsWith(`${folder}${sep}`);
    const { items } = await this.#host.records.agents.list({
      limit: 1,
      filter: isInside,
    });
    return items.length === 0 ? folder : null;
  }

  /**
   * Finishes deletions that a crash cut off, and those that could not remove a file, and removes worktrees whose agents were
   * never stored. Stops early when aborted.
   */
  async resume(signal: AbortSignal): Promise<void> {
    const { remains, log } = this.#host;
    for (const removal of this.#unfinished) {
      if (signal.aborted) return;
      await this.#clear(removal);
    }
    const failures = await remains.sweepOrphans(signal);
    if (failures.length > 0)
      log.warn("Files that belong to no agent could not be removed", {
        files: failures.length,
        cause: String(failures[0]),
      });
  }

  /** Removes all records of an agent, and notes what is left to be removed. */
  async #forget(id: string, options: RemovalOptions): Promise<RemovalRecord> {
    const { records, notes, tasks, gate, workFolders } = this.#host;
    await this.#host.closeScreen(id);
    const agent = await this.#host.book.get(id);
    await gate.close(id);
    try {
      const { operations, images } = await tasks.toRemoveAll(id);
      const { drops } = await notes.of(id);
      const { transcript, workFolder } = options;
      const owned = workFolder ? await this.workFolderOf(agent) : null;
      const known = owned === null ? null : await workFolders.identify(owned);
      const removal = records.removals.toInsert({
        id,
        transcript,
        workFolder: known && {
          ...known,
          repository: agent.worktree?.repository ?? null,
        },
        sessionId: agent.sessionId,
        images,
        drops,
      });
      const removed = await records.agents.remove(id, {
        operations: [
          ...operations,
          ...(await notes.toRemove(id)),
          ...removal.operations,
        ],
        events: [AgentDeleted.of(id, { name: agent.name })],
      });
      if (!removed) throw errors.AGENT_NOT_FOUND({ id });
      return removal.record;
    } catch (error) {
      gate.reopen(id);
      throw error;
    }
  }

  async #clear(removal: RemovalRecord): Promise<void> {
    const { records, remains, log } = this.#host;
    const { id } = removal;
    const failures = await remains.clear(removal);
    if (failures.length === 0) return void (await records.removals.remove(id));
    log.warn("Files of a deleted agent could not be removed yet", {
      agent: id,
      files: failures.length,
      cause: String(failures[0]),
    });
  }
}
