import { definePlugin } from "@gantry/plugin";
import { AgentRuns } from "@gantry/plugin-agents/contract";
import { automationsConfig } from "./config.ts";
import {
  AutomationActivity,
  AutomationChanged,
  AutomationCreated,
  AutomationDeleted,
  AutomationTemplates,
  DraftChanged,
  NotifyFailed,
  RunFinished,
  RunStarted,
  SpendingChanged,
} from "./contract.ts";
import { startEngine } from "./engine.ts";
import { errors } from "./errors.ts";
import { afterLoading } from "./routes/after-loading.ts";
import { automationRoutes } from "./routes/automation-routes.ts";
import { callRoutes } from "./routes/call-routes.ts";
import { draftRoutes } from "./routes/draft-routes.ts";
import { notifyRoute } from "./routes/notify-route.ts";
import { previewRoute } from "./routes/preview-route.ts";
import { resultRoute } from "./routes/result-route.ts";
import { runRoutes } from "./routes/run-routes.ts";
import { spendingRoutes } from "./routes/spending-routes.ts";
import { templateRoute } from "./routes/template-route.ts";
import { weekRoute } from "./routes/week-route.ts";
import { createTemplates } from "./templates/templates.ts";
import { createWebhook } from "./webhook/webhook.ts";

export default definePlugin({
  id: "automations",
  api: 1,
  summary: "Runs agents on a schedule, or when another tool calls",
  mounts: ["/api/automations"],
  config: automationsConfig,
  needs: { agents: AgentRuns },
  provides: [AutomationTemplates, AutomationActivity],
  events: [
    AutomationCreated,
    AutomationChanged,
    AutomationDeleted,
    RunStarted,
    RunFinished,
    NotifyFailed,
    SpendingChanged,
    DraftChanged,
  ],
  errors,
  async setup(ctx) {
    const engine = await startEngine(ctx);
    const { automations, attempts, records, slots } = engine;
    const webhook = createWebhook({
      ...engine,
      clock: ctx.clock,
      audit: ctx.audit,
    });
    const templates = createTemplates();
    const routes = [
      previewRoute(slots, ctx.clock),
      templateRoute(templates),
      notifyRoute(engine.send, engine.checkTarget),
      ...draftRoutes(engine.drafts),
      ...automationRoutes(automations),
      ...runRoutes({ automations, attempts, records, webhook }),
      ...callRoutes(engine),
      ...spendingRoutes(engine),
      weekRoute({ ...engine, clock: ctx.clock }),
      resultRoute(records.sums, ctx.clock),
    ];
    for (const route of routes) ctx.route(afterLoading(route, engine.loading));
    ctx.provide(AutomationTemplates, templates.service);
    ctx.provide(AutomationActivity, engine.activity);
    engine.begin();
  },
});
