import type { PluginContext } from "@gantry/plugin";
import type { AgentServer, AgentServers } from "@gantry/plugin-agents/contract";
import type { MeasuredProgram, ProgramView } from "@gantry/process-kit";
import { hasOutputOf } from "./has-output-of.ts";
import { isLocalAddress } from "./is-local-address.ts";
import type { ListeningPort } from "./listening-port.ts";
import { readPorts } from "./read-ports.ts";

/** Creates the service that finds servers by the processes of agents. Reads nothing until it is called. */
export function createAgentServers(
  run: PluginContext["run"],
  view: ProgramView,
): AgentServers {
  return {
    async list({ agentId }, signal) {
      const programs = (await view.list()).filter(
        ({ subject }) => subject?.type === "agent" && subject.id === agentId,
      );
      if (programs.length === 0) return { items: [] };
      const found = new Map<number, AgentServer>();
      const ofOthers = new Set<number>();
      for (const listener of (await readPorts(run, signal)) ?? []) {
        const { port, address, program = null } = listener;
        const starter = await findStarter(programs, listener);
        if (!starter) ofOthers.add(port);
        else if (isLocalAddress(address)) {
          const endsWithCli = starter.isHost;
          found.set(port, { port, program, endsWithCli });
        }
      }
      return {
        items: [...found.values()]
          .filter(({ port }) => !ofOthers.has(port))
          .sort((one, other) => one.port - other.port),
      };
    },
  };
}

/**
 * Which of these programs listens or has started what does. An agent's CLI itself does not count; a command that was run
 * for the agent may have become its server.
 */
async function findStarter(
  programs: readonly MeasuredProgram[],
  { pid }: ListeningPort,
): Promise<MeasuredProgram | undefined> {
  if (pid === undefined) return undefined;
  const program = programs.find(({ members }) =>
    members.some((member) => member.pid === pid),
  );
  const isCli =
    program?.isHost === true &&
    (program.pid === pid || (await hasOutputOf(pid, program.pid)));
  return isCli ? undefined : program;
}
