import { definePlugin } from "@gantry/plugin";
import { AgentMessages, AgentTools } from "@gantry/plugin-agents/contract";
import { InboxItems } from "@gantry/plugin-inbox/contract";
import { browserConfig } from "./config.ts";
import { errors } from "./errors.ts";
import { openRecords } from "./records/browser-records.ts";
import { recordEvents, TabsChanged } from "./records/events.ts";
import { createRecordRoutes } from "./routes/record-routes.ts";
import { QuestionChanged } from "./tools/question.ts";
import { openWorkBrowser } from "./work/open-work-browser.ts";

export default definePlugin({
  id: "browser",
  api: 1,
  summary:
    "A work browser: Chromium on demand, live in the page, given to agents behind a guard",
  mounts: ["/api/browser"],
  wants: { messages: AgentMessages, tools: AgentTools, inbox: InboxItems },
  config: browserConfig,
  events: [...recordEvents, QuestionChanged, TabsChanged],
  errors,
  async setup(ctx) {
    const { config, wants } = ctx;
    const records = await openRecords(ctx);
    for (const route of createRecordRoutes(records)) ctx.route(route);
    openWorkBrowser({
      ...{ ctx, config, records },
      messages: wants.messages,
      agentTools: wants.tools,
      inbox: wants.inbox,
    });
  },
});
