import { definePlugin } from "@gantry/plugin";
import { startTestKernel } from "@gantry/plugin-testing";
import { chromiumPath } from "@gantry/plugin-testing/browser";
import type { TestKernelOptions } from "@gantry/plugin-testing";
import { browserConfig } from "../../src/config.ts";
import type { BrowserPool } from "../../src/chromium/browser-pool.ts";
import { openBrowserPool } from "../../src/chromium/open-pool.ts";
import { errors } from "../../src/errors.ts";
import { openTestEgress, sitePages } from "./test-egress.ts";
import type { Site } from "./test-egress.ts";

/** Whether this machine has a browser; CI machines must have one. */
export const hasChromium = chromiumPath !== undefined;

/** Settings with which this machine's browser runs anywhere, even as root and in containers. */
export const testSettings = { command: chromiumPath, sandbox: "off" } as const;

/** Starts a pool on a kernel of its own, whose browsers reach only the given site. */
export async function startPool(
  options: TestKernelOptions & { site?: Site; browser?: object } = {},
) {
  const {
    site = sitePages({ "/": "<title>Home</title>" }),
    browser = testSettings,
    ...rest
  } = options;
  let pool: BrowserPool | undefined;
  const plugin = definePlugin({
    id: "browser",
    api: 1,
    summary: "A pool alone",
    mounts: ["/api/browser"],
    config: browserConfig,
    errors,
    setup(ctx) {
      pool = openBrowserPool({
        ctx,
        config: ctx.config,
        machineFolder: () => ctx.folder(),
        openEgress: () => openTestEgress(site),
      });
    },
  });
  const kernel = await startTestKernel([plugin], {
    ...rest,
    settings: { browser, ...rest.settings },
  });
  return {
    kernel,
    get pool() {
      return pool!;
    },
    [Symbol.asyncDispose]: () => kernel.stop(),
  };
}
