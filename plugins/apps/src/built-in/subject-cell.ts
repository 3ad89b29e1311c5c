import type { DaemonProcess } from "@gantry/plugin";
import type { AgentMessages } from "@gantry/plugin-agents/contract";

/** What a program is run for: the name of its agent, which leads there, or the plugin. */
export async function toSubjectCell(
  { plugin, subject }: Pick<DaemonProcess, "plugin" | "subject">,
  messages: AgentMessages | undefined,
  signal: AbortSignal,
) {
  if (subject?.type !== "agent") return plugin;
  const agent = await messages?.describe({ agentId: subject.id }, signal);
  if (!agent) return plugin;
  return { text: agent.name.slice(0, 300), page: `/agents/${subject.id}` };
}
