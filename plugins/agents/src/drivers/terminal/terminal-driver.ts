import { NO_CAPABILITIES, type AgentDriver } from "../../driver.ts";
import { errors } from "../../errors.ts";
import { ANY_TRUST_PATHS } from "../../trust/trust-paths.ts";

/** Shows any program at all in a terminal. There is nothing else that it can do. */
export function createTerminalDriver(): AgentDriver {
  return {
    name: "terminal",
    capabilities: { ...NO_CAPABILITIES, terminal: true },
    // Any of the CLIs may be behind the command.
    trustPaths: ANY_TRUST_PATHS,
    async open({ cli }) {
      throw errors.AGENT_UNSUPPORTED({ cli, capability: "prompt" });
    },
    async screen({ command: { file, args, env } }) {
      return { file, args, env, session: null, hasReceiver: false };
    },
  };
}
