import { defineService } from "@gantry/plugin";
import type { AgentCli } from "./agent-cli.ts";
import type { AgentDriver } from "./driver.ts";

/** What a plugin registers: a driver, CLIs, or CLIs for the driver of another plugin. */
export interface DriverOffer {
  driver?: AgentDriver;
  clis?: readonly AgentCli[];
}

/**
 * Registers drivers and CLIs of other plugins. They contain functions, so this service is available inside this process
 * only.
 */
export interface AgentDrivers {
  /**
   * Registers a driver and CLIs. Each CLI, from a plugin or the configuration, uses the driver that it names, as soon
   * as that is registered. Before this resolves, the driver's `holdsPrompt` decides which messages a killed daemon had
   * delivered. Everything is unregistered when `signal`, the plugin's own, aborts; open sessions then continue.
   *
   * Rejects with `AGENT_DRIVER_TAKEN` (409) if there is a driver of that name, and with `AGENT_CLI_TAKEN` (409) if
   * there is a CLI of that name, or if the configuration overrides a CLI that is fixed. In these cases nothing is
   * registered.
   */
  add(offer: DriverOffer, signal: AbortSignal): Promise<void>;
  /**
   * A folder (mode 0700) for conversations that a CLI cannot store elsewhere. It belongs to the agents plugin and is
   * backed up with conversations.
   *
   * Rejects with `AGENT_CLI_TAKEN` (409) for a name that the agents plugin uses itself.
   */
  folder(input: { cli: string }, signal: AbortSignal): Promise<string>;
}

export const AgentDrivers = defineService<AgentDrivers>("agents.drivers@2");
