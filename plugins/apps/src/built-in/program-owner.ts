import type { DaemonProgram } from "@gantry/plugin";
import { toVisibleText } from "@gantry/plugin";
import type { AgentMessages } from "@gantry/plugin-agents/contract";
import type {
  TerminalHost,
  TerminalScreen,
} from "@gantry/plugin-terminals/contract";

const MAX_NAME = 200;

/** Services that know what programs are run for, as far as they are there. */
export interface OwnerServices {
  messages(): AgentMessages | undefined;
  terminals(): TerminalHost | undefined;
}

/** What a process is run for. */
export interface ProgramOwner {
  /** The name of the agent or terminal, which leads there, or the plugin. */
  cell: string | { text: string; page: string };
  /** As a part of a sentence, such as `in the terminal "Build"`; empty if only the plugin is known. */
  phrase: string;
  /** The terminal that it runs in. */
  screen: TerminalScreen | null;
}

/** Finds what a process of a program is run for. */
export async function findOwner(
  {
    plugin,
    subject,
    isHost,
  }: Pick<DaemonProgram, "plugin" | "subject" | "isHost">,
  pid: number,
  services: OwnerServices,
  signal: AbortSignal,
): Promise<ProgramOwner> {
  if (subject?.type === "agent") {
    const { id } = subject;
    const agent = await services.messages()?.describe({ agentId: id }, signal);
    if (agent) return toOwner("agent", agent.name, `/agents/${id}`, null);
  }
  const screen = isHost
    ? ((await services.terminals()?.find({ pid }, signal)) ?? null)
    : null;
  if (!screen) return { cell: plugin, phrase: "", screen };
  const page = `/terminals/${screen.id}`;
  return screen.agent === null
    ? toOwner("terminal", screen.name, page, screen)
    : toOwner("agent", screen.agent, page, screen);
}

function toOwner(
  kind: "agent" | "terminal",
  name: string,
  page: string,
  screen: TerminalScreen | null,
): ProgramOwner {
  const text = name.slice(0, MAX_NAME);
  const place = kind === "agent" ? "for the agent" : "in the terminal";
  return {
    cell: { text, page },
    phrase: ` ${place} "${toVisibleText(text)}"`,
    screen,
  };
}
