import { definePlugin } from "@gantry/plugin";
import { AgentDeleted, AgentMessages } from "@gantry/plugin-agents/contract";
import { errors } from "./errors.ts";
import { recordEvents } from "./records/events.ts";
import { openRecords } from "./records/open-records.ts";
import { createRecordRoutes } from "./routes/record-routes.ts";

export default definePlugin({
  id: "browser",
  api: 1,
  summary:
    "What browsers did for the user and for agents: history, downloads, annotations, permissions of sites, policies and an audit",
  mounts: ["/api/browser"],
  wants: { messages: AgentMessages },
  events: [...recordEvents],
  errors,
  async setup(ctx) {
    const records = await openRecords(ctx);
    for (const route of createRecordRoutes(records, ctx.wants.messages))
      ctx.route(route);
    ctx.on(
      AgentDeleted,
      ({ subject: agentId }) => records.policies.remove(agentId),
      { durable: "policies" },
    );
  },
});
