import type { Agent, Cli } from "../wire.ts";

/** What a person can set of an agent beside its name, folder and CLI. Empty means: as the CLI does by itself. */
export interface AgentSettings {
  model: string;
  thinking: string;
  readOnly: boolean;
  extraPrompt: string;
}

/** Settings of which none is set. */
export const noSettings: AgentSettings = {
  model: "",
  thinking: "",
  readOnly: false,
  extraPrompt: "",
};

/** The settings of an agent for a form. */
export function readSettings(agent: Agent): AgentSettings {
  return {
    model: agent.model ?? "",
    thinking: agent.thinking ?? "",
    readOnly: agent.readOnly,
    extraPrompt: agent.extraPrompt ?? "",
  };
}

/** Settings for the daemon. What the CLI cannot do is left out, since the form does not show it. */
export function toSettingsBody(
  settings: AgentSettings,
  capabilities: Cli["capabilities"] | undefined,
): Record<string, string | boolean | null> {
  const body: Record<string, string | boolean | null> = {};
  const { model, thinking, readOnly, extraPrompt } = settings;
  if (capabilities?.model) body["model"] = model.trim() || null;
  if (capabilities?.thinking) body["thinking"] = thinking.trim() || null;
  if (capabilities?.readOnly) body["readOnly"] = readOnly;
  if (capabilities?.extraPrompt) body["extraPrompt"] = extraPrompt || null;
  return body;
}
