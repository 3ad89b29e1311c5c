import { definePlugin } from "@gantry/plugin";
import { createAgentMessages } from "./agents/agent-messages.ts";
import { agentsConfig } from "./config.ts";
import {
  AgentDrivers,
  AgentMessages,
  AgentRuns,
  AgentSlash,
} from "./contract.ts";
import { errors } from "./errors.ts";
import { events } from "./events.ts";
import { createParts, wants } from "./plugin-parts.ts";
import { agentRoutes } from "./routes/agents.ts";
import { commandRoutes } from "./routes/commands.ts";
import { conversationRoutes } from "./routes/conversation.ts";
import { folderRoutes } from "./routes/folders.ts";
import { lifecycleRoutes } from "./routes/lifecycle.ts";
import { messageRoutes } from "./routes/messages.ts";
import { overviewRoutes } from "./routes/overview.ts";
import { screenRoutes } from "./routes/screens.ts";
import { shellRoutes } from "./routes/shell.ts";
import { repositoryRoutes } from "./routes/repository.ts";
import { taskRoutes } from "./routes/tasks.ts";
import { createAgentRuns } from "./runs/agent-runs.ts";

export default definePlugin({
  id: "agents",
  api: 1,
  summary:
    "Coding-agent sessions: conversations, a durable queue, questions and cost",
  mounts: ["/api/agents", "/api/workspaces", "/api/usage"],
  config: agentsConfig,
  wants,
  provides: [AgentRuns, AgentMessages, AgentDrivers, AgentSlash],
  events,
  errors,
  async setup(ctx) {
    const parts = await createParts(ctx);
    const { clock, signal } = ctx;
    const routes = [
      ...agentRoutes(parts),
      ...lifecycleRoutes(parts),
      ...messageRoutes(parts),
      ...taskRoutes(parts),
      ...folderRoutes(parts),
      ...conversationRoutes(parts),
      ...commandRoutes(parts),
      ...shellRoutes(parts),
      ...screenRoutes(parts),
      ...overviewRoutes(parts, clock),
      ...repositoryRoutes(parts),
    ];
    for (const route of routes) ctx.route(route);
    ctx.provide(AgentRuns, createAgentRuns({ ...parts, clock, signal }));
    ctx.provide(AgentMessages, createAgentMessages(parts));
    ctx.provide(AgentSlash, {
      add: async (source, until) => parts.slash.add(source, until),
    });
    ctx.provide(AgentDrivers, {
      add: async (driver, until) => parts.drivers.add(driver, until),
    });
  },
});
