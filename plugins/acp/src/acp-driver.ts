import type { Clock, Log } from "@gantry/plugin";
import {
  type AgentCapabilities,
  type AgentDriver,
  type AgentSession,
  ANY_TRUST_PATHS,
  type DriverListener,
  NO_CAPABILITIES,
  type OpenSession,
} from "@gantry/agent-kit";

/** Makes the practice agent ask before it runs a command; other agents ignore it. */
const ASK_FIRST = "GANTRY_ASK_FIRST";

/** What the protocol supports. What an agent lacks of it is known after its start. */
const capabilities: AgentCapabilities = {
  ...NO_CAPABILITIES,
  resume: true,
  images: true,
  permissions: true,
  model: true,
  thinking: true,
  compact: true,
  commands: true,
  clone: true,
  tools: true,
  cost: "none",
};

/** Creates the driver for any agent that speaks the Agent Client Protocol over its standard streams. */
export function createAcpDriver(host: { clock: Clock; log: Log }): AgentDriver {
  return {
    name: "acp",
    capabilities,
    trustPaths: ANY_TRUST_PATHS,
    async open(
      input: OpenSession,
      listener: DriverListener,
      signal: AbortSignal,
    ): Promise<AgentSession> {
      // Loaded on demand: the protocol's library is slow to load, and a daemon without such an agent never needs it.
      const { AcpSession } = await import("./acp-session.ts");
      signal.throwIfAborted();
      const process = await input.start(input.command.args, {
        ...input.command.env,
        ...input.readingEnvironment,
        // The protocol has no setting for it: what an agent asks about is the agent's decision.
        ...(input.asksFirst && { [ASK_FIRST]: "1" }),
      });
      const session = new AcpSession(
        process,
        { ...host, cli: input.cli, capabilities },
        listener,
      );
      try {
        await session.start(input, signal);
        return session;
      } catch (error) {
        await session.kill();
        throw error;
      }
    },
  };
}
