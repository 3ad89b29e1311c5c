import { definePlugin } from "@gantry/plugin";
import { wants } from "./agents-context.ts";
import { createAgentDirectory } from "./agents/agent-directory.ts";
import { createAgentMessages } from "./agents/agent-messages.ts";
import { createTurnCharges } from "./charges/turn-charges.ts";
import { createAgentDrivers } from "./clis/agent-drivers.ts";
import { agentsConfig } from "./config.ts";
import { AgentDrivers } from "@gantry/agent-kit";

import {
  AgentDirectory,
  AgentMessages,
  AgentRuns,
  AgentSlash,
  AgentTools,
  EarlierAgentDrivers,
  TurnCharges,
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
  mounts: ["/api/agents", "/api/workspaces"],
  // Served by the plugin workspace.
  delegates: [
    "/api/agents/{id}/blob",
    "/api/agents/{id}/browse",
    "/api/agents/{id}/delivery",
    "/api/agents/{id}/file",
    "/api/agents/{id}/files",
    "/api/agents/{id}/git",
    "/api/agents/{id}/gitdiff",
    "/api/agents/{id}/gitstatus",
    "/api/agents/{id}/pr",
    "/api/agents/{id}/reveal",
    "/api/agents/{id}/text",
  ],
  config: agentsConfig,
  wants,
  provides: [
    AgentRuns,
    AgentMessages,
    AgentDirectory,
    AgentDrivers,
    EarlierAgentDrivers,
    AgentSlash,
    AgentTools,
    TurnCharges,
  ],
  events,
  errors,
  async setup(ctx) {
    const parts = await createParts(ctx);
    const { clock, signal } = ctx;
    for (const route of allRoutes(parts)) ctx.route(route);
    ctx.provide(AgentRuns, createAgentRuns({ ...parts, clock, signal }));
    ctx.provide(AgentMessages, createAgentMessages(parts));
    ctx.provide(AgentDirectory, createAgentDirectory(parts));
    ctx.provide(AgentSlash, {
      add: async (source, until) => parts.slash.add(source, until),
    });
    ctx.provide(AgentTools, {
      offer: async (offer, until) => parts.offers.add(offer, until),
      renew: async ({ agentId }) => parts.fleet.renew(agentId),
    });
    ctx.provide(TurnCharges, createTurnCharges(parts.records, ctx.store));
    const drivers = createAgentDrivers(parts);
    ctx.provide(AgentDrivers, drivers);
    ctx.provide(EarlierAgentDrivers, {
      add: (driver, until) => drivers.add({ driver }, until),
    });
  },
});
