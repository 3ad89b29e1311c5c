import type { PluginContext } from "@gantry/plugin";
import { AgentDeleted } from "@gantry/plugin-agents/contract";
import type { AgentMessages } from "@gantry/plugin-agents/contract";
import { diagnoseBrowser } from "./chromium/diagnose-browser.ts";
import { openBrowserPool } from "./chromium/open-pool.ts";
import { createStatusReader } from "./chromium/read-status.ts";
import type { BrowserConfig } from "./config.ts";
import { createStatusRoute } from "./routes/status-route.ts";
import { createTabRoutes } from "./routes/tab-routes.ts";
import { openTabs } from "./tabs/open-tabs.ts";

/** Wires pool, tabs, routes and the doctor's check. No browser starts before a tab is opened. */
export function openWorkBrowser(
  ctx: PluginContext,
  config: BrowserConfig,
  messages: () => AgentMessages | undefined,
): void {
  const tabs = openTabs(ctx);
  const pool = openBrowserPool({ ctx, config, onStart: tabs.attach });
  const readStatus = createStatusReader({
    ...{ ctx, config, pool },
    countTabs: tabs.count,
  });
  for (const route of [
    createStatusRoute(readStatus),
    ...createTabRoutes({ pool, tabs, messages }),
  ])
    ctx.route(route);
  ctx.on(AgentDeleted, ({ subject: agentId }) => pool.forget(agentId), {
    durable: "profiles",
  });
  ctx.diagnose(() => diagnoseBrowser(ctx.run, config));
}
