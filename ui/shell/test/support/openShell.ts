import { WAIT_MS } from "@gantry/build/testing";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
// By its path: with the package comes the whole kernel, without which the shell is built and tested.
import {
  chromiumPath,
  launchBrowser,
} from "../../../../kernel/testing/src/browser/chromium.ts";
import { startStandIn, type StandIn } from "./standIn.ts";

/** Whether there is a browser. Without one the tests in it are left out, but never on a build server. */
export const hasBrowser =
  chromiumPath !== undefined || process.env["CI"] !== undefined;

export const shellDist = join(import.meta.dirname, "../../dist");

/** A page with what went wrong on it. */
export interface WatchedPage {
  page: Page;
  /** What the browser complained of: broken policy, uncaught errors. */
  complaints: string[];
  /** Requests that left the origin. */
  foreign: string[];
}

/** A browser, and a stand-in for the daemon with nothing in it. */
export async function openShell() {
  const standIn = await startStandIn(shellDist);
  const browser = await launchBrowser();
  return {
    standIn,
    browser,
    /** Opens a path in a browser of its own, paired unless said otherwise. */
    open: (path: string, options: OpenOptions = {}) =>
      openPage(browser, standIn, path, options),
    async close() {
      await browser.close();
      await standIn.close();
    },
  };
}

/** How to open a page. */
export interface OpenOptions extends BrowserContextOptions {
  paired?: boolean;
  /** In place of `gantry.localhost`. */
  host?: string;
}

async function openPage(
  browser: Browser,
  standIn: StandIn,
  path: string,
  options: OpenOptions,
): Promise<WatchedPage> {
  const { paired = true, host = "gantry.localhost", ...context } = options;
  const origin = `http://${host}:${standIn.port}`;
  const opened = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    ...context,
  });
  if (paired) {
    const { cookie } = standIn.addSession("Chrome on Linux");
    await opened.addCookies([
      { name: "gantry_session", value: cookie, url: origin },
    ]);
  }
  // Below the test's own time, so that a failure says what was waited for.
  opened.setDefaultTimeout(WAIT_MS);
  const page = await opened.newPage();
  const complaints: string[] = [];
  const foreign: string[] = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (message) => {
    if (/content security policy|is not allowed/i.test(message.text()))
      complaints.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith("data:"))
      foreign.push(request.url());
  });
  await page.goto(`${origin}${path}`);
  return { page, complaints, foreign };
}
