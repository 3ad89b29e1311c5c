import { createIdentifier, type NewRecord } from "@gantry/plugin";
import type { CliCatalog } from "../clis/cli-catalog.ts";
import { AgentChanged, AgentCreated, AgentDeleted } from "../contract.ts";
import { errors } from "../errors.ts";
import type { Fleet } from "../live/fleet.ts";
import { checkSettings } from "../live/session-opener.ts";
import { NO_USAGE } from "../live/usage.ts";
import type { TaskBook } from "../queue/task-book.ts";
import { visibleFields, type AgentRecord } from "../records/agent-record.ts";
import type { Records } from "../records/records.ts";
import type { AgentStreams } from "../stream/agent-streams.ts";
import type { Transcripts } from "../transcript/transcripts.ts";
import type { WorkFolders } from "./work-folders.ts";
import { resolveFolder, type Workspaces } from "./workspaces.ts";

/** What can be said of a new agent. */
export interface NewAgent {
  name: string;
  cwd?: string | null;
  cli?: string | null;
  model?: string | null;
  thinking?: string | null;
  extraPrompt?: string | null;
  readOnly?: boolean | null;
  automationId?: string | null;
}

/** What can be changed; `null` clears. */
export type AgentChange = Partial<Omit<NewAgent, "cli" | "automationId">> & {
  cli?: string;
};

/** What the book of agents stands on. */
export interface AgentBookHost {
  records: Records;
  catalog: CliCatalog;
  fleet: Fleet;
  workspaces: Workspaces;
  workFolders: WorkFolders;
  transcripts: Transcripts;
  streams: AgentStreams;
  tasks: TaskBook;
}

/** The agents: making, changing and forgetting them. */
export class AgentBook {
  readonly #host: AgentBookHost;

  constructor(host: AgentBookHost) {
    this.#host = host;
  }

  /** @throws AGENT_NOT_FOUND */
  async get(id: string): Promise<AgentRecord> {
    const agent = await this.#host.records.agents.get(id);
    if (!agent) throw errors.AGENT_NOT_FOUND({ id });
    return agent;
  }

  /**
   * Makes an agent, closed.
   *
   * @throws AGENT_CLI_UNKNOWN, AGENT_UNSUPPORTED, AGENT_FOLDER_INVALID
   */
  async create(input: NewAgent): Promise<AgentRecord> {
    const { catalog, records } = this.#host;
    const cli = input.cli ?? (await catalog.defaultName());
    if (!catalog.has(cli))
      throw errors.AGENT_CLI_UNKNOWN({ cli, known: catalog.names });
    const settings = {
      cli,
      model: input.model ?? null,
      thinking: input.thinking ?? null,
      extraPrompt: input.extraPrompt ?? null,
      readOnly: input.readOnly ?? false,
    };
    checkSettings(settings, catalog.capabilities(cli));
    const folder = await this.#folderFor(input);
    const agent: NewRecord<AgentRecord> = {
      id: createIdentifier("agt"),
      name: input.name,
      ...settings,
      ...folder,
      automationId: input.automationId ?? null,
      state: "closed",
      mode: null,
      activity: "idle",
      sessionId: null,
      resumeKey: null,
      reportedCostUsd: null,
      usage: NO_USAGE,
      terminalId: null,
      dialogs: [],
      turn: null,
      lastMessage: null,
    };
    return await records.agents.insert(agent, {
      events: [AgentCreated.of(agent.id, { name: input.name, cli })],
    });
  }

  /**
   * Changes an agent. What the CLI is started with cannot change while it is at work; an agent at rest is closed for
   * it and goes on with the next message.
   *
   * @throws AGENT_NOT_FOUND, AGENT_OPEN, AGENT_UNSUPPORTED, AGENT_FOLDER_INVALID, and STALE_REVISION
   */
  async change(
    id: string,
    change: AgentChange,
    revision?: number,
  ): Promise<AgentRecord> {
    const agent = await this.#check(id, revision);
    const next = await this.#toNext(agent, change);
    const fields = visibleFields(
      Object.keys(next).filter((field) => !same(next, agent, field)),
    );
    const restarts = fields.some(
      (field) => field !== "name" && field !== "workspaceId",
    );
    const { fleet, records } = this.#host;
    const write = async (precondition: { revision?: number | undefined }) =>
      void (changed = await records.agents.update(
        id,
        (current) => ({
          record: { ...current, ...next },
          events: fields.length > 0 ? [AgentChanged.of(id, { fields })] : [],
        }),
        precondition,
      ));
    let changed: AgentRecord | undefined;
    if (restarts) {
      if (fleet.isBusy(id))
        throw errors.AGENT_OPEN({ field: fields.join(", ") });
      // Closing it moves the revision on; what the caller saw was checked before.
      const precondition = fleet.get(id) ? {} : { revision };
      await fleet.stop(id, "Its settings changed.", () => write(precondition));
    } else {
      await write({ revision });
    }
    if (!changed) throw errors.AGENT_NOT_FOUND({ id });
    return changed;
  }

  /**
   * Closes and forgets an agent. Its transcript and the folder that was made for it stay unless they are to go.
   *
   * @throws AGENT_NOT_FOUND, and STALE_REVISION before anything is closed
   */
  async remove(
    id: string,
    options: { transcript: boolean; workFolder: boolean },
    revision?: number,
  ): Promise<void> {
    const { records, fleet, tasks, transcripts, streams, workFolders } =
      this.#host;
    const agent = await this.#check(id, revision);
    // Nobody may open it between its closing and its end.
    await fleet.stop(id, "The agent is deleted.", async () => {
      const { operations, removePictures } = await tasks.toRemoveAll(id);
      const removed = await records.agents.remove(id, {
        operations,
        events: [AgentDeleted.of(id, { name: agent.name })],
      });
      if (!removed) throw errors.AGENT_NOT_FOUND({ id });
      await removePictures();
    });
    streams.remove(id);
    if (options.transcript) await transcripts.of(id).remove();
    if (options.workFolder && agent.ownsFolder)
      await workFolders.remove(agent.cwd);
  }

  /** Checks the revision without a change: nothing must be closed or made for a request that is refused. */
  async #check(id: string, revision: number | undefined): Promise<AgentRecord> {
    const agent = await this.#host.records.agents.update(id, () => undefined, {
      revision,
    });
    if (!agent) throw errors.AGENT_NOT_FOUND({ id });
    return agent;
  }

  async #folderFor({
    cwd,
    name,
  }: NewAgent): Promise<
    Pick<AgentRecord, "cwd" | "workspaceId" | "ownsFolder">
  > {
    const { workspaces, workFolders } = this.#host;
    if (cwd === undefined || cwd === null) {
      return {
        cwd: await workFolders.make(name),
        workspaceId: null,
        ownsFolder: true,
      };
    }
    const path = await resolveFolder(cwd);
    return {
      cwd: path,
      workspaceId: (await workspaces.add(path)).id,
      ownsFolder: false,
    };
  }

  async #toNext(
    agent: AgentRecord,
    change: AgentChange,
  ): Promise<Partial<AgentRecord>> {
    const { catalog } = this.#host;
    const next: Partial<AgentRecord> = {};
    if (change.model !== undefined) next.model = change.model;
    if (change.thinking !== undefined) next.thinking = change.thinking;
    if (change.extraPrompt !== undefined) next.extraPrompt = change.extraPrompt;
    if (change.readOnly !== undefined) next.readOnly = change.readOnly ?? false;
    if (change.cli !== undefined && change.cli !== agent.cli) {
      if (!catalog.has(change.cli))
        throw errors.AGENT_CLI_UNKNOWN({
          cli: change.cli,
          known: catalog.names,
        });
      // Another CLI knows nothing of this conversation.
      Object.assign(next, {
        cli: change.cli,
        sessionId: null,
        resumeKey: null,
        reportedCostUsd: null,
      });
    }
    if (Object.keys(next).length > 0) {
      const settings = { ...agent, ...next };
      checkSettings(settings, catalog.capabilities(settings.cli));
    }
    if (change.name !== undefined) next.name = change.name;
    // Last: it may make a folder.
    if (change.cwd !== undefined && change.cwd !== agent.cwd) {
      Object.assign(
        next,
        await this.#folderFor({
          name: next.name ?? agent.name,
          cwd: change.cwd,
        }),
      );
    }
    return next;
  }
}

function same(
  next: Partial<AgentRecord>,
  agent: AgentRecord,
  field: string,
): boolean {
  const key = field as keyof AgentRecord;
  return next[key] === agent[key];
}
