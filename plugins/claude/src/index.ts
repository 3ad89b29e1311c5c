import { AgentDrivers } from "@gantry/agent-kit";
import { definePlugin } from "@gantry/plugin";
import { CLAUDE } from "./claude-cli.ts";
import { createClaudeDriver } from "./claude-driver.ts";

export default definePlugin({
  id: "claude",
  api: 1,
  summary: "Drives Claude Code by its JSON lines",
  mounts: [],
  needs: { drivers: AgentDrivers },
  setup: ({ needs, clock, log, signal }) =>
    needs.drivers.add(
      { driver: createClaudeDriver({ clock, log }), clis: [CLAUDE] },
      signal,
    ),
});
