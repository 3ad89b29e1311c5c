import type { AgentDrivers } from "@gantry/agent-kit";
import type { PluginParts } from "../plugin-parts.ts";

/**
 * Creates the service with which other plugins add drivers and CLIs. Adding a driver resumes the recovery of its agents and
 * the delivery of their messages.
 */
export function createAgentDrivers({
  registry,
  cliFolders,
  recovery,
  waker,
}: Pick<
  PluginParts,
  "registry" | "cliFolders" | "recovery" | "waker"
>): AgentDrivers {
  return {
    async add(offer, until) {
      registry.add(offer, until);
      await recovery.resume();
      waker.driverAdded();
    },
    folder: async ({ cli }) => await cliFolders.of(cli),
  };
}
