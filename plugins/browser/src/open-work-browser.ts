import { describeError } from "@gantry/plugin";
import type { PluginContext } from "@gantry/plugin";
import { AgentDeleted } from "@gantry/plugin-agents/contract";
import type {
  AgentMessages,
  AgentServers,
  AgentTools,
} from "@gantry/plugin-agents/contract";
import type { InboxItems } from "@gantry/plugin-inbox/contract";
import { diagnoseBrowser } from "./chromium/diagnose-browser.ts";
import { openBrowserPool } from "./chromium/open-pool.ts";
import { createStatusReader } from "./chromium/read-status.ts";
import type { BrowserConfig } from "./config.ts";
import { WorkBrowser } from "./contract.ts";
import type { DownloadFiles } from "./downloads/download-files.ts";
import { openBrowserDownloads } from "./downloads/open-downloads.ts";
import { openNetworks } from "./egress/open-networks.ts";
import { AgentAccess } from "./fence/agent-access.ts";
import { readGantryAddress } from "./fence/gantry-address.ts";
import { judgeUrl } from "./fence/judge-site.ts";
import { OwnServers } from "./fence/own-servers.ts";
import { createWorkBrowser } from "./guard/create-work-browser.ts";
import { openGuards } from "./guard/open-guards.ts";
import type { BrowserRecords } from "./records/open-records.ts";
import { createStatusRoute } from "./routes/status-route.ts";
import { createTabRoutes } from "./routes/tab-routes.ts";
import { createUploadRoute } from "./routes/upload-route.ts";
import { openTabs } from "./tabs/open-tabs.ts";
import { openTools } from "./tools/open-tools.ts";
import { openViews } from "./view/open-views.ts";
import { Uploads } from "./view/uploads.ts";
import { createViewSocket } from "./view/view-socket.ts";

/** Dependencies of {@link openWorkBrowser}. */
export interface WorkBrowserOptions {
  config: BrowserConfig;
  records: BrowserRecords;
  messages(): AgentMessages | undefined;
  agentTools(): AgentTools | undefined;
  inbox(): InboxItems | undefined;
  servers(): AgentServers | undefined;
}

/**
 * Wires networks, guards, pool, tabs, downloads, routes and the doctor's check. No browser starts before a tab is opened
 * or an agent connects.
 *
 * @returns the files of finished downloads
 */
export async function openWorkBrowser(
  ctx: PluginContext,
  { config, records, messages, agentTools, inbox, servers }: WorkBrowserOptions,
): Promise<DownloadFiles> {
  const { audit, policies } = records;
  const access = new AgentAccess({
    policies,
    servers: new OwnServers({
      ...{ policies, servers, signal: ctx.signal },
      onFailed: (agentId, error) =>
        ctx.log.warn("The servers of an agent could not be read", {
          ...{ agentId, reason: describeError(error) },
        }),
    }),
    onRevoked: review,
  });
  const { rulesOf, refresh } = access;
  const uploads = new Uploads();
  const tabs = openTabs(ctx, {
    hasViewer: (id) => views.has(id),
    hasAgent: (id) => guards.isUsed(id),
  });
  const views = openViews(ctx, tabs, uploads);
  // Before the pool, so that calls are still recorded while its browsers end.
  const guards = openGuards({
    ...{ ctx, rulesOf, refresh, audit },
    onRunning: ({ profileId }, targetId) =>
      tabs.noteRunning(profileId, targetId),
    ...{ hands: views, uploads },
  });
  const downloads = await openBrowserDownloads({
    ...{ ctx, config, records, tabs, guards },
  });
  const networks = openNetworks({
    ...{ ctx, rulesOf, refresh },
    onFailed(profileId, failed) {
      tabs.noteFailed(profileId, failed);
      ctx.log.debug("A connection of a browser was not made", {
        profileId,
        ...failed,
      });
    },
  });
  function review(agentId: string): void {
    networks.review(agentId);
    guards.review();
  }
  ctx.own(policies.onChange(review));
  const pool = openBrowserPool({
    ctx,
    config,
    openEgress: networks.open,
    async onStart(browser) {
      await guards.attach(browser);
      await tabs.attach(browser);
      await downloads.attach(browser);
    },
  });
  ctx.provide(WorkBrowser, createWorkBrowser({ pool, guards, rulesOf }));
  openTools({
    ...{ ctx, access, policies, messages, agentTools, inbox },
    judgeUrl: (url, sites) => judgeUrl(url, sites, readGantryAddress(ctx)),
    async open(agentId) {
      const browser = await pool.open({ kind: "agent", agentId });
      return {
        connect: (send) => guards.guardOf(browser).connect(agentId, send),
        hold: () => browser.hold(),
        ended: browser.ended,
      };
    },
  });
  const readStatus = createStatusReader({
    ...{ ctx, config, pool },
    countTabs: tabs.count,
  });
  for (const route of [
    createStatusRoute(readStatus),
    ...createTabRoutes({ pool, tabs, guards, networks, messages }),
    createUploadRoute(tabs, uploads),
  ])
    ctx.route(route);
  ctx.socket(createViewSocket(tabs, views));
  ctx.on(AgentDeleted, ({ subject: agentId }) => pool.forget(agentId), {
    durable: "profiles",
  });
  ctx.diagnose(() => diagnoseBrowser(ctx.run, config));
  return downloads.files;
}
