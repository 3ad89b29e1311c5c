import type { CliCatalog } from "../clis/cli-catalog.ts";
import { errors } from "../errors.ts";
import { checkSettings } from "../live/session-opener.ts";
import type { AgentRecord } from "../records/agent-record.ts";
import type { NewAgent } from "./new-agent.ts";

/** What can be changed of an agent; `null` clears. */
export type AgentChange = Partial<Omit<NewAgent, "cli" | "automationId">> & {
  cli?: string;
};

/**
 * What of a record a change makes different, but for the folder.
 *
 * @throws AGENT_CLI_UNKNOWN, AGENT_UNSUPPORTED
 */
export function toChangedFields(
  agent: AgentRecord,
  change: AgentChange,
  catalog: CliCatalog,
): Partial<AgentRecord> {
  const next: Partial<AgentRecord> = {};
  if (change.model !== undefined) next.model = change.model;
  // Another model may take more or less.
  if (change.model !== undefined && change.model !== agent.model)
    next.context = agent.context && { ...agent.context, sizeTokens: null };
  if (change.thinking !== undefined) next.thinking = change.thinking;
  if (change.extraPrompt !== undefined) next.extraPrompt = change.extraPrompt;
  if (change.readOnly !== undefined) next.readOnly = change.readOnly ?? false;
  if (change.cli !== undefined && change.cli !== agent.cli) {
    if (!catalog.has(change.cli)) throw unknownCli(change.cli, catalog);
    // Another CLI knows nothing of this conversation.
    Object.assign(next, {
      cli: change.cli,
      sessionId: null,
      resumeKey: null,
      reportedCostUsd: null,
      context: null,
    });
  }
  if (Object.keys(next).length > 0) {
    const settings = { ...agent, ...next };
    checkSettings(settings, catalog.capabilities(settings.cli));
  }
  if (change.name !== undefined) next.name = change.name;
  const changed = Object.entries(next).filter(
    ([field, value]) => agent[field as keyof AgentRecord] !== value,
  );
  return Object.fromEntries(changed);
}

/** The error for an unknown name of a CLI. */
export const unknownCli = (cli: string, { names: known }: CliCatalog) =>
  errors.AGENT_CLI_UNKNOWN(
    { cli, known },
    {
      errors: [{ path: "cli", message: `must be one of ${known.join(", ")}` }],
    },
  );
