import type { Clock, Log } from "@gantry/plugin";
import {
  NO_CAPABILITIES,
  type AgentCapabilities,
  type AgentDriver,
  type AgentSession,
  type DriverListener,
  type OpenSession,
} from "../../driver.ts";
import { ANY_TRUST_PATHS } from "../../trust/trust-paths.ts";

/** Has the practice agent ask before it runs a command; others do not know of it. */
const ASK_FIRST = "GANTRY_ASK_FIRST";

/** What the protocol can carry. What an agent lacks of it is known when it has started. */
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

/** Drives any agent that speaks the Agent Client Protocol over its standard streams. */
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
      // The protocol's library takes a while to load; a daemon without such an agent never does.
      const { AcpSession } = await import("./acp-session.ts");
      signal.throwIfAborted();
      const process = await input.start(input.command.args, {
        ...input.command.env,
        ...input.readingEnvironment,
        // The protocol has no word for it: what an agent asks about is for the agent to know.
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
