import { AgentDrivers } from "@gantry/agent-kit";
import { definePlugin } from "@gantry/plugin";
import { CODEX } from "./codex-cli.ts";
import { createCodexDriver } from "./codex-driver.ts";

export default definePlugin({
  id: "codex",
  api: 1,
  summary: "Drives Codex by its app-server",
  mounts: [],
  needs: { drivers: AgentDrivers },
  setup: ({ needs, clock, log, signal }) =>
    needs.drivers.add(
      { driver: createCodexDriver({ clock, log }), clis: [CODEX] },
      signal,
    ),
});
