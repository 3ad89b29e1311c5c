import { definePlugin } from "@gantry/plugin";
import { startTestKernel } from "@gantry/plugin-testing";
import type { TestKernelOptions } from "@gantry/plugin-testing";
import type { BrowserPool } from "../../src/chromium/browser-pool.ts";
import { openBrowserPool } from "../../src/chromium/open-pool.ts";
import {
  createStatusReader,
  diagnoseBrowser,
} from "../../src/chromium/status.ts";
import { browserConfig } from "../../src/config.ts";
import { errors } from "../../src/errors.ts";
import { createGuard } from "../../src/fence/guard.ts";
import type { Tier } from "../../src/fence/policy.ts";
import { openRecords } from "../../src/records/browser-records.ts";
import { recordEvents } from "../../src/records/events.ts";
import { createRecordRoutes } from "../../src/routes/record-routes.ts";
import { createStatusRoute } from "../../src/routes/status-route.ts";
import { createTabRoutes } from "../../src/routes/tab-routes.ts";
import { createUploadRoutes } from "../../src/routes/upload-routes.ts";
import { openViews } from "../../src/view/open-views.ts";
import type { BrowserViews } from "../../src/view/open-views.ts";
import { createViewSocket } from "../../src/view/view-socket.ts";
import { testSettings } from "./start-pool.ts";
import { openTestEgress } from "./test-egress.ts";
import type { Site } from "./test-egress.ts";

/**
 * Starts the pool with its views, records and guard on a kernel of its own, whose browsers reach only the given site.
 */
export async function startViews(
  options: TestKernelOptions & {
    site: Site;
    tierOf?: () => Tier;
    browser?: object;
  },
) {
  const { site, tierOf = () => "act", browser = {}, ...rest } = options;
  const parts: { pool?: BrowserPool; views?: BrowserViews } = {};
  const plugin = definePlugin({
    id: "browser",
    api: 1,
    summary: "The live view alone",
    mounts: ["/api/browser"],
    config: browserConfig,
    events: [...recordEvents],
    errors,
    async setup(ctx) {
      const { config } = ctx;
      const records = await openRecords(ctx);
      const pool = openBrowserPool({
        ctx,
        config,
        machineFolder: () => ctx.machineFolder(),
        openEgress: () => openTestEgress(site),
      });
      const views = openViews({ ctx, config, pool, records, tierOf });
      pool.onStart(async (started) => {
        const guard = await createGuard({
          browser: started,
          clock: ctx.clock,
          rulesOf: () => ({
            tier: tierOf(),
            sites: ["*"],
            localPorts: "all",
            folder: null,
          }),
          gantry: () => ({ ports: new Set(), names: new Set() }),
          record: () => {},
          userIsDriving: (tabId) => views.userIsDriving(tabId),
        });
        await views.start(started, guard);
      });
      const readStatus = createStatusReader({
        ctx,
        config,
        pool,
        countTabs: (one) => views.tabsOf(one)?.list().length ?? 0,
      });
      for (const route of [
        ...createRecordRoutes(records),
        ...createTabRoutes(views),
        ...createUploadRoutes(views.uploads),
        createStatusRoute(readStatus),
      ])
        ctx.route(route);
      ctx.socket(
        createViewSocket({ pool, uploads: views.uploads, find: views.find }),
      );
      ctx.diagnose(() => diagnoseBrowser(ctx, config));
      Object.assign(parts, { pool, views });
    },
  });
  const kernel = await startTestKernel([plugin], {
    ...rest,
    settings: { browser: { ...testSettings, ...browser } },
  });
  return { kernel, pool: parts.pool!, views: parts.views! };
}
