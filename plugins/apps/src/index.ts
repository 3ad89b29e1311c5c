import { definePlugin } from "@gantry/plugin";
import { AgentMessages, AgentServers } from "@gantry/plugin-agents/contract";
import { TerminalHost } from "@gantry/plugin-terminals/contract";
import { createProgramView } from "@gantry/process-kit";
import { createAnnouncer } from "./announce.ts";
import { BUILT_IN_APPS } from "./built-in/built-in-apps.ts";
import { AppCalls } from "./calls/app-calls.ts";
import { Badges } from "./calls/badges.ts";
import { appsConfig } from "./config.ts";
import { createAgentServers } from "./built-in/ports/agent-servers.ts";
import { AppActed, AppRegistry, AppsChanged } from "./contract.ts";
import { errors } from "./errors.ts";
import { AppOrder } from "./order.ts";
import { RegisteredApps } from "./registry/app-registry.ts";
import { createAppRoutes } from "./routes/app-routes.ts";
import { createListRoutes } from "./routes/list-routes.ts";

export default definePlugin({
  id: "apps",
  api: 1,
  summary: "Small tools of plugins, whose pages are data that the shell draws",
  mounts: ["/api/apps"],
  config: appsConfig,
  wants: {
    registry: AppRegistry,
    messages: AgentMessages,
    terminals: TerminalHost,
  },
  provides: [AgentServers, AppRegistry],
  events: [AppsChanged, AppActed],
  errors,
  setup(ctx) {
    const apps: RegisteredApps = new RegisteredApps({
      caller: () => ctx.caller(),
      onChange: () => announce(),
    });
    const announce = createAnnouncer({
      ...ctx,
      list: () => apps.ids(),
    });
    const order = new AppOrder(ctx.store, apps);
    for (const route of [
      ...createListRoutes({ order, badges: new Badges(ctx) }),
      ...createAppRoutes({ apps, calls: new AppCalls(ctx), context: ctx }),
    ])
      ctx.route(route);
    const programs = createProgramView(ctx);
    ctx.provide(AgentServers, createAgentServers(ctx.run, programs));
    ctx.provide(AppRegistry, {
      add: (app, signal) => apps.add(app, signal),
    });
    for (const name of new Set(ctx.config.builtIn)) {
      const app = BUILT_IN_APPS[name]({ ...ctx, programs });
      ctx.whenThere(AppRegistry, (registry, gone) => registry.add(app, gone));
    }
  },
});
