import { existsSync } from "node:fs";
import { cp, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { startTestKernel } from "@gantry/plugin-testing";
import { chromium, type BrowserContext, type Page } from "playwright-core";

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
  "--process-per-site",
];

/** The screens that pages are looked at on. */
export const screens = {
  desk: { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  phone: {
    viewport: { width: 390, height: 844 },
    colorScheme: "dark",
    hasTouch: true,
  },
} as const;
export type ScreenName = keyof typeof screens;

/** A page that watches itself. */
export interface Visitor {
  page: Page;
  /** Errors of scripts, of the console, and of the content security policy. */
  faults: string[];
}

const packages = fileURLToPath(new URL("../../../", import.meta.url));
const builtShell = join(
  dirname(createRequire(import.meta.url).resolve("@gantry/shell/package.json")),
  "dist",
);

/** A kernel with the built shell and the built plugin, a user with a short prompt, and a browser. */
export async function startStage() {
  const folder = await mkdtemp(join(tmpdir(), "gantry-terminals-browser-"));
  await writeFile(
    join(folder, ".bashrc"),
    "PS1='\\[\\e[32m\\]ada@shop\\[\\e[0m\\] \\[\\e[34m\\]~/code\\[\\e[0m\\] $ '\nunset HISTFILE\n",
  );
  const { HOME, SHELL } = process.env;
  Object.assign(process.env, { HOME: folder, SHELL: "/bin/bash" });
  const pluginFolder = join(folder, "plugins");
  const shell = join(folder, "shell");
  // Copies, so that a build which runs beside the tests changes nothing under them.
  await cp(builtShell, shell, { recursive: true });
  for (const part of ["package.json", "dist", "node_modules"])
    await cp(
      join(packages, "terminals", part),
      join(pluginFolder, "terminals", part),
      { recursive: true, verbatimSymlinks: false },
    );
  const kernel = await startTestKernel([], {
    pluginFolder,
    shell,
    startAt: new Date().toISOString(),
  });
  const browser = await chromium.launch({
    executablePath: chromiumPath,
    args: QUIET,
  });
  const origin = `http://gantry.localhost:${kernel.kernel.port}`;
  const windows = new Map<ScreenName, Promise<BrowserContext>>();

  async function openWindow(screen: ScreenName): Promise<BrowserContext> {
    const { cookie } = await kernel.pairAs("Browser");
    const [name = "", value = ""] = cookie.split("=");
    const context = await browser.newContext({
      locale: "en-GB",
      reducedMotion: "reduce",
      permissions: ["clipboard-read", "clipboard-write"],
      ...screens[screen],
    });
    await context.addCookies([
      { name, value, url: origin, httpOnly: true, sameSite: "Strict" },
    ]);
    context.setDefaultTimeout(15_000);
    return context;
  }

  return {
    kernel,
    folder,
    async openTerminal(body: object = {}): Promise<string> {
      const answer = await kernel.api.post<{ id: string }>("/api/terminals", {
        cwd: folder,
        ...body,
      });
      if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
      return answer.body.id;
    },
    async open(path: string, screen: ScreenName = "desk"): Promise<Visitor> {
      if (!windows.has(screen)) windows.set(screen, openWindow(screen));
      const page = await (await windows.get(screen)!).newPage();
      const faults: string[] = [];
      page.on("pageerror", (error) => faults.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error") faults.push(message.text());
      });
      page.on("request", (request) => {
        const url = new URL(request.url());
        if (url.origin !== origin && !/^(data|blob):$/.test(url.protocol))
          faults.push(`asked for ${request.url()}`);
      });
      await page.goto(origin + path, { waitUntil: "commit" });
      return { page, faults };
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      const { items } = (
        await kernel.api.get<{ items: { id: string }[] }>("/api/terminals")
      ).body;
      for (const { id } of items)
        await kernel.api.delete(`/api/terminals/${id}`);
      await kernel.stop();
      Object.assign(process.env, { HOME, SHELL });
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

export type Stage = Awaited<ReturnType<typeof startStage>>;
