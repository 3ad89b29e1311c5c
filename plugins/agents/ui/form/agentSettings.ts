import type { Agent, Cli } from "../wire.ts";

/** Settings of an agent apart from its name, folder and CLI. An empty text means the default of the CLI. */
export interface AgentSettings {
  model: string;
  thinking: string;
  readOnly: boolean;
  extraPrompt: string;
}

/** Settings with the defaults of the CLI. */
export const noSettings: AgentSettings = {
  model: "",
  thinking: "",
  readOnly: false,
  extraPrompt: "",
};

/** Returns the settings of an agent as form values. */
export function readSettings(agent: Agent): AgentSettings {
  return {
    model: agent.model ?? "",
    thinking: agent.thinking ?? "",
    readOnly: agent.readOnly,
    extraPrompt: agent.extraPrompt ?? "",
  };
}

/** Converts settings to a request body. Settings that the CLI does not support are left out, as in the form. */
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
