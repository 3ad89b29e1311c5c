import { AgentDrivers } from "@gantry/agent-kit";
import { definePlugin } from "@gantry/plugin";
import { PI } from "./pi-cli.ts";
import { createPiDriver } from "./pi-driver.ts";

export default definePlugin({
  id: "pi",
  api: 1,
  summary: "Drives pi in its RPC mode",
  mounts: [],
  needs: { drivers: AgentDrivers },
  setup: ({ needs, clock, log, signal }) =>
    needs.drivers.add(
      { driver: createPiDriver({ clock, log }), clis: [PI] },
      signal,
    ),
});
