import { defineService } from "@gantry/plugin";

/** A server of this machine that `localhost` reaches. */
export interface AgentServer {
  port: number;
  /** Name of its program; `null` where that is not known. */
  program: string | null;
  /** Whether a process of the agent's CLI runs it, so that it ends with the CLI. */
  endsWithCli: boolean;
}

/** Finds the servers that agents run, such as development servers. The plugin apps provides it. */
export interface AgentServers {
  /**
   * The servers that processes of an agent listen with, by port; none on a system that does not tell which ports are in
   * use. A port on which another program listens too, at another address, is left out: `localhost` may lead to that one.
   */
  list(
    input: { agentId: string },
    signal: AbortSignal,
  ): Promise<{ items: AgentServer[] }>;
}

/** Token of the service {@link AgentServers}. */
export const AgentServers = defineService<AgentServers>("agents.servers@1");
