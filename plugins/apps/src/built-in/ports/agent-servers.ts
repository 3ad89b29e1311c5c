import type { DaemonProcess, PluginContext } from "@gantry/plugin";
import type { AgentServer, AgentServers } from "../../contract.ts";
import { hasOutputOf } from "./has-output-of.ts";
import { isLocalAddress } from "./is-local-address.ts";
import type { ListeningPort } from "./listening-port.ts";
import { readPorts } from "./read-ports.ts";

/** Creates the service that finds servers by the processes of agents. Reads nothing until it is called. */
export function createAgentServers({
  daemon,
  run,
}: Pick<PluginContext, "daemon" | "run">): AgentServers {
  return {
    async list({ agentId }, signal) {
      const programs = (await daemon.processes()).filter(
        ({ subject }) => subject?.type === "agent" && subject.id === agentId,
      );
      if (programs.length === 0) return { items: [] };
      const found = new Map<number, AgentServer>();
      const ofOthers = new Set<number>();
      for (const listener of (await readPorts(run, signal)) ?? []) {
        const { port, address, program = null } = listener;
        if (!(await isStartedBy(programs, listener))) ofOthers.add(port);
        else if (isLocalAddress(address)) found.set(port, { port, program });
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
 * Whether what listens is one of these programs or was started by one. An agent's CLI itself does not count; a command that
 * was run for the agent may have become its server.
 */
async function isStartedBy(
  programs: readonly DaemonProcess[],
  { pid }: ListeningPort,
): Promise<boolean> {
  if (pid === undefined) return false;
  const program = programs.find(({ members }) =>
    members.some((member) => member.pid === pid),
  );
  return (
    program !== undefined &&
    !(
      program.isHost &&
      (program.pid === pid || (await hasOutputOf(pid, program.pid)))
    )
  );
}
