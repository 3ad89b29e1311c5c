import { existsSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { startTestKernel } from "@gantry/plugin-testing";
import type { TestKernel } from "@gantry/plugin-testing";
import type { NewEvent, PluginDefinition } from "@gantry/plugin";
import { chromium } from "playwright-core";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { createSources } from "./sources.ts";

/** Path of the browser, `undefined` if this machine has none. */
export const chromiumPath: string | undefined = [
  process.env["GANTRY_CHROMIUM"],
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
].find((path) => path !== undefined && existsSync(path));

/** Without these it would try to reach its maker's hosts, which is not what is tested. */
const QUIET = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A kernel that serves the built shell and the built Inbox, and a browser to look at it. */
export interface BrowserInbox extends AsyncDisposable {
  kernel: TestKernel;
  browser: Browser;
  emit(...events: NewEvent[]): Promise<void>;
  open(path: string, options?: BrowserContextOptions): Promise<Visitor>;
}

/** A page that watches itself. */
export interface Visitor {
  page: Page;
  /** Errors of scripts, of the console, and of the content security policy. */
  faults: string[];
  /** Addresses outside the daemon that were asked for, and pages that the tab was led to. */
  stray: string[];
}

const packageFolder = fileURLToPath(new URL("../../", import.meta.url));
const builtShell = join(
  dirname(createRequire(import.meta.url).resolve("@gantry/shell/package.json")),
  "dist",
);

export async function startBrowserInbox(
  beside: readonly PluginDefinition[] = [],
): Promise<BrowserInbox> {
  const folder = await mkdtemp(join(tmpdir(), "gantry-inbox-browser-"));
  const pluginFolder = join(folder, "plugins");
  const shell = join(folder, "shell");
  // Copies, so that a build which runs beside the tests changes nothing under them.
  await cp(builtShell, shell, { recursive: true });
  for (const part of ["package.json", "dist"])
    await cp(join(packageFolder, part), join(pluginFolder, "inbox", part), {
      recursive: true,
    });
  const sources = createSources();
  const kernel = await startTestKernel([...beside, sources.plugin], {
    pluginFolder,
    shell,
    startAt: new Date().toISOString(),
  });
  const browser = await chromium.launch({
    executablePath: chromiumPath,
    args: QUIET,
  });
  const origin = `http://gantry.localhost:${kernel.kernel.port}`;

  async function open(
    path: string,
    options: BrowserContextOptions = {},
  ): Promise<Visitor> {
    const { cookie } = await kernel.pairAs("Browser");
    const [name = "", value = ""] = cookie.split("=");
    const context = await browser.newContext(options);
    await context.addCookies([
      { name, value, url: origin, httpOnly: true, sameSite: "Strict" },
    ]);
    // Below the test's own time, so that a failure says what was waited for.
    context.setDefaultTimeout(15_000);
    const page = await context.newPage();
    const faults: string[] = [];
    const stray: string[] = [];
    page.on("pageerror", (error) => faults.push(error.message));
    page.on("console", (message) => {
      if (message.type() === "error") faults.push(message.text());
    });
    context.on("request", (request) => {
      const url = new URL(request.url());
      if (
        url.origin !== origin &&
        url.protocol !== "data:" &&
        url.protocol !== "blob:"
      )
        stray.push(request.url());
    });
    page.on("dialog", (dialog) => {
      stray.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.goto(origin + path);
    return { page, faults, stray };
  }

  return {
    kernel,
    browser,
    open,
    emit: sources.emit,
    async [Symbol.asyncDispose]() {
      await browser.close();
      await kernel.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
