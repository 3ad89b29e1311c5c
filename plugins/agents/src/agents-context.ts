import type { PluginContext } from "@gantry/plugin";
import { TerminalHost } from "@gantry/plugin-terminals/contract";
import type { AgentsConfig } from "./config.ts";

/** Optional dependencies: services that the plugin uses while they are available. */
export const wants = { terminals: TerminalHost };

/** The plugin's context, typed with its configuration and optional services. */
export type AgentsContext = PluginContext<
  AgentsConfig,
  Record<never, never>,
  typeof wants
>;
