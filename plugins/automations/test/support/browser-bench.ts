import { existsSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { AgentRuns } from "@gantry/plugin-agents/contract";
import { provideFake, startTestKernel } from "@gantry/plugin-testing";
import type { TestKernel } from "@gantry/plugin-testing";
import { chromium } from "playwright-core";
import type { Browser, BrowserContext, Page } from "playwright-core";
import type { AutomationView } from "../../src/wire/automation.ts";
import { createAgentPages } from "./agent-pages.ts";
import { createFakeAgents } from "./fake-agents.ts";
import type { FakeAgents } from "./fake-agents.ts";

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
  // All pages are ours, and a process takes long to start.
  "--process-per-site",
];

/** Without motion, since a browser that draws all the time slows down the tests beside it. */
const READER = {
  timezoneId: "Europe/Berlin",
  locale: "en-GB",
  reducedMotion: "reduce",
} as const;

/** The screens that pages are looked at on. */
export const screens = {
  desk: { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
} as const;

/** A page that watches itself. */
export interface Visitor {
  page: Page;
  /** Errors of scripts, of the console, and of the content security policy. */
  faults: string[];
  /** Addresses outside the daemon that were asked for. */
  stray: string[];
}

/** A kernel that serves the built shell and the built automations, and a browser to look at them. */
export interface BrowserBench extends AsyncDisposable {
  kernel: TestKernel;
  agents: FakeAgents;
  create(input?: object): Promise<AutomationView>;
  /** Opens a page in the one browser window that there is for a screen. */
  open(path: string, screen: keyof typeof screens): Promise<Visitor>;
}

const packageFolder = fileURLToPath(new URL("../../", import.meta.url));
const builtShell = join(
  dirname(createRequire(import.meta.url).resolve("@gantry/shell/package.json")),
  "dist",
);

export async function startBrowserBench(): Promise<BrowserBench> {
  const folder = await mkdtemp(join(tmpdir(), "gantry-automations-browser-"));
  const pluginFolder = join(folder, "plugins");
  const shell = join(folder, "shell");
  // Copies, so that a build which runs beside the tests changes nothing under them.
  await cp(builtShell, shell, { recursive: true });
  if (!existsSync(join(shell, "public", "200.html")))
    throw new Error("The shell is not built; build @gantry/shell first.");
  for (const part of ["package.json", "dist"])
    await cp(
      join(packageFolder, part),
      join(pluginFolder, "automations", part),
      { recursive: true },
    );
  const agents = createFakeAgents();
  const kernel = await startTestKernel(
    [provideFake(AgentRuns, agents.service), createAgentPages(agents)],
    { pluginFolder, shell, startAt: new Date().toISOString() },
  );
  const browser: Browser = await chromium.launch({
    executablePath: chromiumPath,
    args: QUIET,
  });
  const origin = `http://gantry.localhost:${kernel.kernel.port}`;
  const windows = new Map<string, Promise<BrowserContext>>();

  async function openWindow(
    screen: keyof typeof screens,
  ): Promise<BrowserContext> {
    const { cookie } = await kernel.pairAs("Browser");
    const [name = "", value = ""] = cookie.split("=");
    const context = await browser.newContext({ ...READER, ...screens[screen] });
    await context.addCookies([
      { name, value, url: origin, httpOnly: true, sameSite: "Strict" },
    ]);
    return context;
  }

  return {
    kernel,
    agents,
    async create(input = {}) {
      const { body } = await kernel.api.post<{ automation: AutomationView }>(
        "/api/automations",
        { name: "Morning brief", prompt: "Say what is new.", ...input },
      );
      return body.automation;
    },
    async open(path, screen) {
      // What one page has fetched, the next one need not fetch again.
      if (!windows.has(screen)) windows.set(screen, openWindow(screen));
      const context = await windows.get(screen)!;
      const page = await context.newPage();
      const faults: string[] = [];
      const stray: string[] = [];
      page.on("pageerror", (error) => faults.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error") faults.push(message.text());
      });
      page.on("request", (request) => {
        const url = new URL(request.url());
        if (url.origin !== origin && !/^(data|blob):$/.test(url.protocol))
          stray.push(request.url());
      });
      await page.goto(origin + path, { waitUntil: "commit" });
      return { page, faults, stray };
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await kernel.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
