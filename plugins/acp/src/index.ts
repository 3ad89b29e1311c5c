import { AgentDrivers } from "@gantry/agent-kit";
import { definePlugin } from "@gantry/plugin";
import { createAcpDriver } from "./acp-driver.ts";
import { GEMINI } from "./gemini.ts";
import { OPENCODE } from "./opencode.ts";

export default definePlugin({
  id: "acp",
  api: 1,
  summary: "Drives any agent that speaks the Agent Client Protocol",
  mounts: [],
  needs: { drivers: AgentDrivers },
  setup: ({ needs, clock, log, signal }) =>
    needs.drivers.add(
      { driver: createAcpDriver({ clock, log }), clis: [OPENCODE, GEMINI] },
      signal,
    ),
});
