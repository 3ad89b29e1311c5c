import { definePlugin } from "@gantry/plugin";
import {
  AgentDeleted,
  AgentMessages,
  AgentServers,
  AgentTools,
} from "@gantry/plugin-agents/contract";
import { InboxItems } from "@gantry/plugin-inbox/contract";
import { browserConfig } from "./config.ts";
import { WorkBrowser } from "./contract.ts";
import { errors } from "./errors.ts";
import { openWorkBrowser } from "./open-work-browser.ts";
import { recordEvents } from "./records/events.ts";
import { openRecords } from "./records/open-records.ts";
import { createRecordRoutes } from "./routes/record-routes.ts";
import { createServerRoute } from "./routes/server-route.ts";
import { TabsChanged } from "./tabs/events.ts";
import { QuestionChanged } from "./tools/question.ts";

export default definePlugin({
  id: "browser",
  api: 1,
  summary:
    "Runs a Chromium on demand, and keeps what browsers did for the user and for agents",
  mounts: ["/api/browser"],
  wants: {
    messages: AgentMessages,
    tools: AgentTools,
    inbox: InboxItems,
    servers: AgentServers,
  },
  provides: [WorkBrowser],
  config: browserConfig,
  events: [...recordEvents, TabsChanged, QuestionChanged],
  errors,
  async setup(ctx) {
    const records = await openRecords(ctx);
    const { messages } = ctx.wants;
    const files = await openWorkBrowser(ctx, {
      ...{ config: ctx.config, records, messages },
      agentTools: ctx.wants.tools,
      inbox: ctx.wants.inbox,
      servers: ctx.wants.servers,
    });
    for (const route of createRecordRoutes({
      ...{ records, messages, files, log: ctx.log, signal: ctx.signal },
    }))
      ctx.route(route);
    ctx.route(createServerRoute(ctx.wants.servers));
    ctx.on(
      AgentDeleted,
      ({ subject: agentId }) => records.policies.remove(agentId),
      { durable: "policies" },
    );
  },
});
