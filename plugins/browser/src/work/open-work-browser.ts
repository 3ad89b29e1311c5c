import type { PluginContext } from "@gantry/plugin";
import type { AgentMessages, AgentTools } from "@gantry/plugin-agents/contract";
import { AgentDeleted } from "@gantry/plugin-agents/contract";
import type { InboxItems } from "@gantry/plugin-inbox/contract";
import { openBrowserPool } from "../chromium/open-pool.ts";
import { createStatusReader, diagnoseBrowser } from "../chromium/status.ts";
import type { BrowserConfig } from "../config.ts";
import { openAuditLog } from "../fence/audit.ts";
import { readGantryAddress } from "../fence/gantry-address.ts";
import { judgeUrl } from "../fence/judge-site.ts";
import { createOwnServers } from "../fence/own-servers.ts";
import type { BrowserRecords } from "../records/browser-records.ts";
import { createServerRoute } from "../routes/server-route.ts";
import { createStatusRoute } from "../routes/status-route.ts";
import { createTabRoutes } from "../routes/tab-routes.ts";
import { createUploadRoutes } from "../routes/upload-routes.ts";
import { AgentRules } from "../tools/agent-rules.ts";
import { openTools } from "../tools/open-tools.ts";
import { openViews } from "../view/open-views.ts";
import { createViewSocket } from "../view/view-socket.ts";
import { announceTabs } from "./announce-tabs.ts";
import { openEgresses } from "./open-egresses.ts";
import { openGuards } from "./open-guards.ts";
import { UserSites } from "./user-sites.ts";

/** Dependencies of {@link openWorkBrowser}. */
export interface WorkBrowserOptions {
  ctx: PluginContext;
  config: BrowserConfig;
  records: BrowserRecords;
  messages(): AgentMessages | undefined;
  agentTools(): AgentTools | undefined;
  inbox(): InboxItems | undefined;
}

/** Wires the parts of the work browser: pool, guard, egress, views and tools. No browser starts before it is needed. */
export function openWorkBrowser(options: WorkBrowserOptions): void {
  const { ctx, config, records, messages } = options;
  const gantry = () => readGantryAddress(ctx);
  const audit = openAuditLog({ ...ctx, write: records.audit.append });
  ctx.own(() => audit.flush());

  const ownServers = createOwnServers({
    ...ctx,
    folderOf: async (agentId) =>
      (await messages()?.describe({ agentId }, ctx.signal))?.cwd ?? null,
  });
  const rules = new AgentRules(records.policies, ownServers.portsOf);
  const userSites = new UserSites();
  const userRules = () => userSites.rules;
  const egresses = openEgresses({ ctx, rules, ownServers, gantry, userRules });
  const pool = openBrowserPool({
    ctx,
    config,
    machineFolder: () => ctx.machineFolder(),
    openEgress: egresses.open,
  });
  const views = openViews({
    ctx,
    config,
    pool,
    records,
    tierOf: (agentId) => rules.rulesOf(agentId).tier,
    onTyped: (url) => userSites.noteTyped(url),
  });
  const guards = openGuards({
    ...{ ctx, pool, views, rules, ownServers, audit, gantry },
  });
  announceTabs({ ctx, pool, views });
  ctx.own(
    records.policies.onChange(() => {
      guards.review();
      egresses.review();
    }),
  );

  ctx.on(AgentDeleted, ({ subject: agentId }) => pool.forget(agentId), {
    durable: "profiles",
  });

  openTools({
    ...options,
    rules,
    open: guards.open,
    lent: guards.lent,
    refreshPorts: (agentId) => ownServers.refresh(agentId),
    noteUse: (agentId, tabId) => views.noteAgent(tabId, agentId),
    judgeUrl: (url, siteRules) => judgeUrl(url, siteRules, gantry()),
  });
  const readStatus = createStatusReader({
    ...{ ctx, config, pool },
    countTabs: (browser) => views.tabsOf(browser)?.list().length ?? 0,
  });
  for (const route of [
    createStatusRoute(readStatus),
    createServerRoute(ownServers),
    ...createTabRoutes(views),
    ...createUploadRoutes(views.uploads),
  ])
    ctx.route(route);
  ctx.socket(createViewSocket(views));
  ctx.diagnose(() => diagnoseBrowser(ctx, config));
}
