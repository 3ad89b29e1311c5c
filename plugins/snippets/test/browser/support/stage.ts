import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { startTestKernel, type TestKernel } from "@gantry/plugin-testing";
import {
  chromium,
  type Browser,
  type BrowserContext,
  type Page,
} from "playwright-core";
import type { Snippet } from "../../../src/contract.ts";
import { createFakeTerminals, type FakeTerminals } from "./fake-terminals.ts";

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
const READER = { locale: "en-GB", reducedMotion: "reduce" } as const;

/** The screens that pages are looked at on. */
export const screens = {
  desk: { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
} as const;
export type Screen = keyof typeof screens;

/** A page that watches itself. */
export interface Visitor {
  page: Page;
  /** Errors of scripts, of the console, and of the content security policy. */
  faults: string[];
  /** Paths of the daemon that were asked for. */
  asked: string[];
  /** Addresses outside the daemon that were asked for. */
  stray: string[];
  /** Nothing went wrong, and nobody but the daemon was asked; the page is closed. */
  leave(): Promise<void>;
}

/** A kernel with the built shell, the built snippets and agents, terminals that take everything, and a browser. */
export interface Stage extends AsyncDisposable {
  kernel: TestKernel;
  terminals: FakeTerminals;
  create(fields: object): Promise<Snippet>;
  /** Makes an agent, in a repository if there is a branch. */
  createAgent(name: string, branch?: string): Promise<string>;
  open(path: string, screen?: Screen): Promise<Visitor>;
}

const packages = fileURLToPath(new URL("../../../../", import.meta.url));
const builtShell = join(
  dirname(createRequire(import.meta.url).resolve("@gantry/shell/package.json")),
  "dist",
);

export async function startStage(): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), "gantry-snippets-browser-"));
  const pluginFolder = join(folder, "plugins");
  const shell = join(folder, "shell");
  // Copies, so that a build which runs beside the tests changes nothing under them.
  await cp(builtShell, shell, { recursive: true });
  for (const plugin of ["snippets", "agents"])
    for (const part of ["package.json", "dist"])
      await cp(join(packages, plugin, part), join(pluginFolder, plugin, part), {
        recursive: true,
      });
  const terminals = createFakeTerminals();
  const kernel = await startTestKernel([terminals.plugin], {
    pluginFolder,
    shell,
    settings: { agents: { defaultCli: "practice" } },
    startAt: new Date().toISOString(),
  });
  const browser: Browser = await chromium.launch({
    executablePath: chromiumPath,
    args: QUIET,
  });
  const origin = `http://gantry.localhost:${kernel.kernel.port}`;
  const windows = new Map<Screen, Promise<BrowserContext>>();

  async function openWindow(screen: Screen): Promise<BrowserContext> {
    const { cookie } = await kernel.pairAs("Browser");
    const [name = "", value = ""] = cookie.split("=");
    const context = await browser.newContext({ ...READER, ...screens[screen] });
    await context.addCookies([
      { name, value, url: origin, httpOnly: true, sameSite: "Strict" },
    ]);
    context.setDefaultTimeout(15_000);
    return context;
  }

  return {
    kernel,
    terminals,
    async create(fields) {
      // The newest stands first, so no two may be of one moment.
      await kernel.clock.advance(1000);
      const { status, body } = await kernel.api.post<Snippet>(
        "/api/snips",
        fields,
      );
      if (status !== 200) throw new Error(JSON.stringify(body));
      return body;
    },
    async createAgent(name, branch) {
      const cwd = join(folder, "work", name.toLowerCase().replace(" ", "-"));
      await mkdir(cwd, { recursive: true });
      if (branch !== undefined) {
        // As little as is a repository to git.
        const git = join(cwd, ".git");
        for (const part of ["objects", "refs"])
          await mkdir(join(git, part), { recursive: true });
        await writeFile(join(git, "HEAD"), `ref: refs/heads/${branch}\n`);
      }
      const { body } = await kernel.api.post<{ id: string }>("/api/agents", {
        name,
        cwd,
        cli: "practice",
      });
      return body.id;
    },
    async open(path, screen = "desk") {
      // What one page has fetched, the next one need not fetch again.
      if (!windows.has(screen)) windows.set(screen, openWindow(screen));
      const page = await (await windows.get(screen)!).newPage();
      const faults: string[] = [];
      const stray: string[] = [];
      const asked: string[] = [];
      page.on("pageerror", (error) => faults.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error") faults.push(message.text());
      });
      page.on("request", (request) => {
        const url = new URL(request.url());
        if (url.origin !== origin && !/^(data|blob):$/.test(url.protocol))
          stray.push(request.url());
        else asked.push(url.pathname);
      });
      await page.goto(origin + path, { waitUntil: "commit" });
      return {
        page,
        faults,
        stray,
        asked,
        async leave() {
          const found = [...faults, ...stray];
          await page.close();
          if (found.length > 0) throw new Error(found.join("\n"));
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await kernel.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
