import { GantryError, isGantryError } from "@gantry/plugin";
import type { Log, StoreOperation } from "@gantry/plugin";
import type { AgentRuns } from "@gantry/plugin-agents/contract";
import type { Apart } from "../apart.ts";
import { errors } from "../errors.ts";
import type { AutomationRecord } from "../records/automation-record.ts";
import type { Records } from "../records/records.ts";

const AIMING = "aiming:";

/**
 * Keeps automations and their agents in step. They are records of two plugins and so of two writes; what is about to be
 * done to an agent is noted first, and the note goes with the write of the automation. A note that is still there tells
 * that there was a fault in between.
 */
export interface AgentSync {
  /** Makes the agent of an automation that is about to be made. @throws what the agents refuse: a CLI, a folder */
  create(automationId: string, settings: AgentSettings): Promise<string>;
  /**
   * Makes the agent what an automation is about to say.
   *
   * @param before What the automation says until then.
   * @throws what the agents refuse
   */
  change(
    automationId: string,
    agentId: string,
    settings: AgentSettings,
    before: AgentSettings,
  ): Promise<void>;
  /**
   * Makes sure that an automation which sends messages has an agent to send them to.
   *
   * @throws `TARGET_AGENT_NEEDED`, `TARGET_AGENT_UNKNOWN`
   */
  checkTarget(settings: AgentTarget): Promise<void>;
  /** What goes with the write of the automation. */
  toForget(automationId: string): StoreOperation[];
  /** Makes the agent what the automation says, or removes one that was made for nothing. */
  settle(automationId: string): Promise<void>;
  /** Settles everything that was noted before the start. */
  settleAll(): Promise<void>;
}

/** Dependencies of {@link createAgentSync}. */
export interface AgentSyncHost {
  agents: AgentRuns;
  records: Records;
  log: Log;
  signal: AbortSignal;
  /** What is done to the agent is no effect of a request before the automation is written. */
  apart: Apart;
}

export function createAgentSync(host: AgentSyncHost): AgentSync {
  const { agents, records, log, signal, apart } = host;

  const toForget = (automationId: string): StoreOperation[] => [
    { type: "remove", key: AIMING + automationId },
  ];

  async function settle(automationId: string): Promise<void> {
    try {
      const automation = await records.automations.get(automationId);
      // One without an agent never had any but the one that was being made for it.
      if (!automation || automation.agentId === null)
        await agents.removeAgents({ automationId }, signal);
      else await aim(automationId, automation.agentId, automation);
      await records.batch(toForget(automationId));
    } catch (error) {
      // The note stays, so that the next start tries again.
      log.warn("An agent is not yet what its automation says", {
        automationId,
        why: String(error),
      });
    }
  }

  const note = (automationId: string) =>
    records.batch([{ type: "set", key: AIMING + automationId, value: {} }]);

  async function aim(
    automationId: string,
    agentId: string,
    settings: AgentSettings,
    before?: AgentSettings,
  ): Promise<void> {
    // An agent that the user deleted is created again at the next run.
    const { exists } = await agents.inspect({ agentId }, signal);
    if (!exists) return;
    const { cli, ...input } = { ...toAgent(automationId, settings), agentId };
    // The default may have changed: an agent that was created with it keeps it until the user chooses another.
    const isKept = cli === null && before?.cli === null;
    await agents.updateAgent(isKept ? input : { ...input, cli }, signal);
  }

  return {
    create: (automationId, settings) =>
      apart(async () => {
        await note(automationId);
        const input = toAgent(automationId, settings);
        const made = agents.createAgent(input, signal);
        return (await made.catch(renameFields)).agentId;
      }),
    change: (automationId, agentId, settings, before) =>
      apart(async () => {
        await note(automationId);
        const aimed = aim(automationId, agentId, settings, before);
        await aimed.catch(renameFields);
      }),
    async checkTarget({ mode, targetAgentId: agentId }) {
      if (mode === "start") return;
      if (agentId === null) {
        const message = "a message needs an agent";
        throw errors.TARGET_AGENT_NEEDED({}, toIssue(message));
      }
      const { exists } = await agents.inspect({ agentId }, signal);
      if (!exists)
        throw errors.TARGET_AGENT_UNKNOWN(
          { id: agentId },
          toIssue("there is no such agent"),
        );
    },
    toForget,
    settle: (automationId) => apart(() => settle(automationId)),
    async settleAll() {
      for (const key of await records.keys(AIMING))
        await settle(key.slice(AIMING.length));
    },
  };
}

type AgentSettings = Pick<
  AutomationRecord,
  "name" | "cli" | "model" | "workspace"
>;

type AgentTarget = Pick<AutomationRecord, "mode" | "targetAgentId">;

const toIssue = (message: string) => ({
  errors: [{ path: "targetAgentId", message }],
});

/** Whether two versions of an automation need different agents. */
export function differsForAgent(
  one: AgentSettings,
  other: AgentSettings,
): boolean {
  return (["name", "cli", "model", "workspace"] as const).some(
    (field) => one[field] !== other[field],
  );
}

function toAgent(automationId: string, settings: AgentSettings) {
  const { name, cli, model, workspace: cwd } = settings;
  return { automationId, name, cli, model, cwd };
}

/** Says what the agents refuse of the fields that an automation has: the folder of an agent is its workspace. */
function renameFields(error: unknown): never {
  if (!isGantryError(error)) throw error;
  const { code, message, extras } = error;
  const renamed = extras.errors?.map((issue) => ({
    ...issue,
    path: issue.path === "cwd" ? "workspace" : issue.path,
  }));
  throw new GantryError(code, { ...error, detail: message }, message, {
    ...extras,
    ...(renamed && { errors: renamed }),
  });
}
