import type { PluginContext } from "@gantry/plugin";
import { TerminalHost } from "@gantry/plugin-terminals/contract";
import { AgentServers } from "./agent-servers.ts";
import type { AgentsConfig } from "./config.ts";

/** Services that the plugin uses while they are there. */
export const wants = {
  terminals: TerminalHost,
  servers: AgentServers,
};

/** What the kernel gives the plugin. */
export type AgentsContext = PluginContext<
  AgentsConfig,
  Record<never, never>,
  typeof wants
>;
