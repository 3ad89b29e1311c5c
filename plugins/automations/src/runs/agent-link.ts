import { isGantryError } from "@gantry/plugin";
import type { Log } from "@gantry/plugin";
import type { AgentRuns } from "@gantry/plugin-agents/contract";
import { AutomationChanged } from "../contract.ts";
import type { Apart } from "../apart.ts";
import type { AutomationRecord } from "../records/automation-record.ts";
import type { Records } from "../records/records.ts";
import type { AgentFacts } from "./gates.ts";

/** Dependencies of the link. */
export interface AgentLinkHost {
  agents: AgentRuns;
  records: Records;
  log: Log;
  /** Aborts when the plugin stops. */
  signal: AbortSignal;
  /** A new agent is no effect of a request before its run is written. */
  apart: Apart;
}

/** What an automation has to do with its agent before a run. */
export interface AgentLink {
  inspect(agentId: string | null): Promise<AgentFacts>;
  /** Gives an automation whose agent was deleted a new one, so that it continues. The caller holds the lock. */
  remake(
    automation: AutomationRecord,
  ): Promise<AutomationRecord | { problem: string }>;
}

export function createAgentLink(host: AgentLinkHost): AgentLink {
  const { agents, records, log, signal, apart } = host;
  return {
    async inspect(agentId) {
      const unknown = { inTerminal: false, busy: false, reportsCost: true };
      if (agentId === null)
        return { ...unknown, exists: false, cliInstalled: true };
      try {
        return await agents.inspect({ agentId }, signal);
      } catch (error) {
        // The run itself finds out what is wrong, and says so in its result.
        log.warn("Agent could not be inspected", {
          agentId,
          why: String(error),
        });
        return { ...unknown, exists: true, cliInstalled: true };
      }
    },

    remake: (automation) => apart(() => remake(automation)),
  };

  async function remake(
    automation: AutomationRecord,
  ): Promise<AutomationRecord | { problem: string }> {
    try {
      const { id: automationId, name, cli, model, workspace } = automation;
      const { agentId } = await agents.createAgent(
        { automationId, name, cli, model, cwd: workspace },
        signal,
      );
      const changed = await records.automations.update(
        automationId,
        (current) => ({
          record: { ...current, agentId },
          events: [
            AutomationChanged.of(automationId, { name, fields: ["agentId"] }),
          ],
        }),
      );
      return changed ?? automation;
    } catch (error) {
      if (isGantryError(error)) return { problem: error.message };
      throw error;
    }
  }
}
