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
      for (const listener of (await readPorts(run, signal)) ?? [])
        if (await isServer(listener, programs))
          found.set(listener.port, {
            port: listener.port,
            program: listener.program ?? null,
          });
      return {
        items: [...found.values()].sort((one, other) => one.port - other.port),
      };
    },
  };
}

/** Whether it is a server that one of these programs started. The program itself, an agent's CLI, is none. */
async function isServer(
  { address, pid }: ListeningPort,
  programs: readonly DaemonProcess[],
): Promise<boolean> {
  if (pid === undefined || !isLocalAddress(address)) return false;
  const program = programs.find(({ members }) =>
    members.some((member) => member.pid === pid),
  );
  return (
    program !== undefined &&
    program.pid !== pid &&
    !(program.isHost && (await hasOutputOf(pid, program.pid)))
  );
}
