import {
  driverErrors,
  type AgentDriver,
  ANY_TRUST_PATHS,
  NO_CAPABILITIES,
  toolEnvironment,
} from "@gantry/agent-kit";

/** Creates the driver that shows any program in a terminal and has no other capability. */
export function createTerminalDriver(): AgentDriver {
  return {
    name: "terminal",
    capabilities: { ...NO_CAPABILITIES, terminal: true, tools: true },
    // The command may start any of the CLIs.
    trustPaths: ANY_TRUST_PATHS,
    async open({ cli }) {
      throw driverErrors.AGENT_UNSUPPORTED({ cli, capability: "prompt" });
    },
    async screen({ command: { file, args, env: own }, tools }) {
      // The program takes no tool servers, but a plugin's command that is typed there needs their variables.
      const env = { ...own, ...toolEnvironment(tools) };
      return { file, args, env, session: null, hasReceiver: false };
    },
  };
}
