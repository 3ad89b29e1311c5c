import { definePlugin } from "@gantry/plugin";
import { wants } from "./agents-context.ts";
import { createAgentDirectory } from "./agents/agent-directory.ts";
import { createAgentMessages } from "./agents/agent-messages.ts";
import { agentsConfig } from "./config.ts";
import {
  AgentDirectory,
  AgentDrivers,
  AgentMessages,
  AgentRuns,
  AgentSlash,
  AgentTools,
} from "./contract.ts";
import { errors } from "./errors.ts";
import { events } from "./events.ts";
import { createParts } from "./plugin-parts.ts";
import { allRoutes } from "./routes/all-routes.ts";
import { createAgentRuns } from "./runs/agent-runs.ts";

export default definePlugin({
  id: "agents",
  api: 1,
  summary:
    "Coding-agent sessions: conversations, a durable queue, questions and cost",
  mounts: ["/api/agents", "/api/workspaces", "/api/usage"],
  config: agentsConfig,
  wants,
  provides: [
    AgentRuns,
    AgentMessages,
    AgentDirectory,
    AgentDrivers,
    AgentSlash,
    AgentTools,
  ],
  events,
  errors,
  async setup(ctx) {
    const parts = await createParts(ctx);
    const { clock, signal } = ctx;
    for (const route of allRoutes(parts, clock)) ctx.route(route);
    ctx.provide(AgentRuns, createAgentRuns({ ...parts, clock, signal }));
    ctx.provide(AgentMessages, createAgentMessages(parts));
    ctx.provide(AgentDirectory, createAgentDirectory(parts.records.agents));
    ctx.provide(AgentSlash, {
      add: async (source, until) => parts.slash.add(source, until),
    });
    ctx.provide(AgentTools, {
      offer: async (offer, until) => parts.offers.add(offer, until),
      renew: async ({ agentId }) => parts.fleet.renew(agentId),
    });
    ctx.provide(AgentDrivers, {
      add: async (driver, until) => {
        parts.drivers.add(driver, until);
        await parts.recovery.resume();
      },
    });
  },
});
