import {
  type PathGuard,
  createIdentifier,
  type NewRecord,
  type PluginContext,
  type StoreOperation,
} from "@gantry/plugin";
import type { CliCatalog } from "../clis/cli-catalog.ts";
import { AgentChanged, AgentCreated } from "../contract.ts";
import { errors } from "../errors.ts";
import { checkFolder } from "../folder/usable-folder.ts";
import type { Fleet } from "../live/fleet.ts";
import { checkSettings } from "../live/session-opener.ts";
import { NO_USAGE } from "../live/usage.ts";
import { visibleFields, type AgentRecord } from "../records/agent-record.ts";
import type { Records } from "../records/records.ts";
import {
  toChangedFields,
  unknownCli,
  type AgentChange,
} from "./agent-change.ts";
import type { Worktrees } from "../worktrees/worktrees.ts";
import type { WorkFolders } from "./work-folders.ts";
import type { Workspaces } from "./workspaces.ts";
import type { NewAgent } from "./new-agent.ts";

/** A conversation that a new agent begins with, which is written already under the agent's id to be. */
export type Beginnings = Pick<
  AgentRecord,
  "id" | "sessionId" | "resumeKey" | "fork" | "reportedCostUsd" | "lastMessage"
>;

/** Dependencies of {@link AgentBook}. */
export interface AgentBookHost {
  records: Records;
  catalog: CliCatalog;
  fleet: Fleet;
  workspaces: Workspaces;
  workFolders: WorkFolders;
  worktrees: Worktrees;
  guard: PathGuard;
  /** Runs work that is not the effect of a request. */
  prepare: PluginContext["prepare"];
}

/** Creates, reads and changes agents. */
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
   * @throws AGENT_CLI_UNKNOWN, AGENT_UNSUPPORTED, AGENT_FOLDER_INVALID, and what {@link Worktrees.make} throws
   */
  async create(input: NewAgent, beginnings?: Beginnings): Promise<AgentRecord> {
    const { catalog, records } = this.#host;
    const cli = input.cli ?? (await catalog.defaultName());
    if (!catalog.has(cli)) throw unknownCli(cli, catalog);
    const settings = {
      cli,
      model: input.model ?? null,
      thinking: input.thinking ?? null,
      extraPrompt: input.extraPrompt ?? null,
      readOnly: input.readOnly ?? false,
    };
    checkSettings(settings, catalog.capabilities(cli));
    const id = beginnings?.id ?? createIdentifier("agt");
    const { operations = [], ...folder } = await this.#folderFor(input, id);
    const agent: NewRecord<AgentRecord> = {
      id,
      name: input.name,
      ...settings,
      ...folder,
      automationId: input.automationId ?? null,
      state: "closed",
      mode: null,
      activity: "idle",
      sessionId: null,
      resumeKey: null,
      fork: null,
      reportedCostUsd: null,
      usage: NO_USAGE,
      terminalId: null,
      screen: null,
      dialogs: [],
      turn: null,
      cutOff: null,
      openWork: [],
      pendingRestart: null,
      problem: null,
      context: null,
      lastMessage: null,
      ...beginnings,
    };
    return await records.agents.insert(agent, {
      operations,
      events: [AgentCreated.of(agent.id, { name: input.name, cli })],
    });
  }

  /**
   * Changes an agent. What the CLI is started with cannot change during its work; an idle agent is closed for the change and
   * continues with the next message.
   *
   * @throws AGENT_NOT_FOUND, AGENT_OPEN, AGENT_UNSUPPORTED, AGENT_FOLDER_INVALID, and STALE_REVISION
   */
  async change(
    id: string,
    change: AgentChange,
    revision?: number,
  ): Promise<AgentRecord> {
    const agent = await this.check(id, revision);
    const next = toChangedFields(agent, change, this.#host.catalog);
    const move = await toMove(this.#host.guard, agent, change.cwd);
    const fields = visibleFields(Object.keys({ ...next, ...move }));
    if (fields.length === 0) return agent;
    const { fleet, records } = this.#host;
    let changed: AgentRecord | undefined;
    const write = async (expected: { revision?: number | undefined }) =>
      void (changed = await records.agents.update(
        id,
        (current) => ({
          record: { ...current, ...next },
          events: [AgentChanged.of(id, { fields: different(agent, next) })],
        }),
        expected,
      ));
    if (fields.every((field) => field === "name")) {
      await write({ revision });
    } else {
      if (fleet.isBusy(id) || agent.mode === "terminal")
        throw errors.AGENT_OPEN({ field: fields.join(", ") });
      // Last: it may make a folder.
      const name = next.name ?? agent.name;
      if (move)
        Object.assign(next, await this.#folderFor({ name, cwd: move.cwd }, id));
      // Closing it moves the revision on; what the caller saw was checked before.
      const expected = fleet.get(id) ? {} : { revision };
      await fleet.stop(id, "Its settings changed.", () => write(expected));
    }
    if (!changed) throw errors.AGENT_NOT_FOUND({ id });
    return changed;
  }

  /**
   * Checks the revision without a change: nothing must be closed or made for a request that is refused.
   *
   * @throws AGENT_NOT_FOUND, STALE_REVISION
   */
  async check(id: string, revision: number | undefined): Promise<AgentRecord> {
    const agent = await this.#host.records.agents.update(id, () => undefined, {
      revision,
    });
    if (!agent) throw errors.AGENT_NOT_FOUND({ id });
    return agent;
  }

  async #folderFor(
    { cwd, name, worktree = null }: NewAgent,
    agentId: string,
  ): Promise<
    Pick<AgentRecord, "cwd" | "workspaceId" | "ownsFolder" | "worktree"> & {
      operations?: StoreOperation[];
    }
  > {
    const { workspaces, workFolders, worktrees, prepare, guard } = this.#host;
    if (cwd === undefined || cwd === null) {
      if (worktree !== null)
        throw errors.WORKTREE_IMPOSSIBLE({
          reason: "Name the folder of the repository.",
        });
      return {
        cwd: await workFolders.make(name),
        workspaceId: null,
        ownsFolder: true,
        worktree: null,
      };
    }
    const path = await checkFolder(guard, cwd, "cwd");
    const { id: workspaceId } = await prepare(() => workspaces.add(path));
    if (worktree === null)
      return { cwd: path, workspaceId, ownsFolder: false, worktree: null };
    const setup = worktree.setup?.trim() || null;
    const { branch } = worktree;
    const wanted = { cwd: path, name, branch, setup };
    const made = await prepare(() => worktrees.make(agentId, wanted));
    await prepare(() => workspaces.keepSetup(workspaceId, setup));
    return { ...made, workspaceId, ownsFolder: true };
  }
}

/** The fields that clients see change. */
function different(agent: AgentRecord, next: Partial<AgentRecord>): string[] {
  const fields = Object.entries(next)
    .filter(([field, value]) => agent[field as keyof AgentRecord] !== value)
    .map(([field]) => field);
  return visibleFields(fields);
}

/** Where a change takes an agent: to a folder, to one of its own (`null`), or nowhere. Makes nothing. */
async function toMove(
  guard: PathGuard,
  agent: AgentRecord,
  to: string | null | undefined,
): Promise<{ cwd: string | null } | undefined> {
  if (to === undefined || (to === null && agent.ownsFolder)) return undefined;
  const cwd = to === null ? null : await checkFolder(guard, to, "cwd");
  return cwd === agent.cwd ? undefined : { cwd };
}
