import { definePlugin } from "@gantry/plugin";
import { AgentRuns } from "@gantry/plugin-agents/contract";
import { automationsConfig } from "./config.ts";
import {
  AutomationChanged,
  AutomationCreated,
  AutomationDeleted,
  AutomationTemplates,
  NotifyFailed,
  RunFinished,
  RunStarted,
} from "./contract.ts";
import { startEngine } from "./engine.ts";
import { errors } from "./errors.ts";
import { automationRoutes } from "./routes/automation-routes.ts";
import { notifyRoute } from "./routes/notify-route.ts";
import { previewRoute } from "./routes/preview-route.ts";
import { runRoutes } from "./routes/run-routes.ts";
import { templateRoute } from "./routes/template-route.ts";
import { createTemplates } from "./templates/templates.ts";
import { createHookGuard } from "./webhook/authorize.ts";
import { createSkipBudget } from "./webhook/skip-budget.ts";
import { createWrongTries } from "./webhook/wrong-tries.ts";

export default definePlugin({
  id: "automations",
  api: 1,
  summary: "Runs agents on a schedule, or when another tool calls",
  mounts: ["/api/automations"],
  config: automationsConfig,
  needs: { agents: AgentRuns },
  provides: [AutomationTemplates],
  events: [
    AutomationCreated,
    AutomationChanged,
    AutomationDeleted,
    RunStarted,
    RunFinished,
    NotifyFailed,
  ],
  errors,
  async setup(ctx) {
    const engine = await startEngine(ctx);
    const { automations, attempts, records, slots, secrets, isKnown } = engine;
    const guard = createHookGuard(
      secrets,
      createWrongTries(ctx.clock, isKnown),
      ({ params, remoteAddress: address }) =>
        void ctx.audit(
          "automations.hook-refused",
          { automation: params.id, address },
          { summed: true },
        ),
    );
    const skips = createSkipBudget(ctx.clock);
    const templates = createTemplates();
    const routes = [
      previewRoute(slots, ctx.clock),
      templateRoute(templates),
      notifyRoute(engine.send, engine.checkTarget),
      ...automationRoutes(automations),
      ...runRoutes({ automations, attempts, records, guard, skips }),
    ];
    for (const route of routes) ctx.route(route);
    ctx.provide(AutomationTemplates, templates.service);
    engine.begin();
  },
});
