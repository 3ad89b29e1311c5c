import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { PluginDefinition } from "@gantry/plugin";
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  Page,
} from "playwright-core";
import { readPatience } from "../../../../tooling/bootstrap/patience.mjs";
import { startTestKernel } from "../test-kernel.ts";
import type { TestKernel, TestKernelOptions } from "../test-kernel.ts";
import { launchBrowser } from "./chromium.ts";
import { explainFailure } from "./explain-failure.ts";
import { watchPage } from "./watch-page.ts";
import type { PageWatch } from "./watch-page.ts";

/** The screens that pages are looked at on. */
const SCREENS = {
  desk: { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
} as const satisfies Record<string, BrowserContextOptions>;

/** `desk` is 1280 × 800 and light, `phone` 390 × 844 and dark. */
export type ScreenName = keyof typeof SCREENS;

/** Without motion, since a browser that draws all the time slows down the tests beside it. */
const READER = { locale: "en-GB", reducedMotion: "reduce" } as const;

/** How a stage differs from the usual one. */
export interface BrowserStageOptions extends Omit<
  TestKernelOptions,
  "pluginFolder" | "shell"
> {
  /** Folder of the package under test. It is built, and depends on `@gantry/shell`. */
  package: string;
  /** Folders of other built plugins, from that of the package. */
  beside?: readonly string[];
  /** The reader's settings, such as the time zone. */
  reader?: BrowserContextOptions;
  /** What a screen is beside its size and colours. */
  screens?: Partial<Record<ScreenName, BrowserContextOptions>>;
}

/** A page that watches itself. */
export interface Visitor extends PageWatch {
  /** Page of playwright, loaded up to `DOMContentLoaded`. */
  readonly page: Page;
  /** Closes the page. Rejects if anything went wrong in it, or any server but the daemon was called. */
  leave(): Promise<void>;
}

/** A kernel that serves the built shell and built plugins, and a paired browser to look at them. */
export interface BrowserStage extends AsyncDisposable {
  /** Serves the pages, on the real time of day as its start. */
  readonly kernel: TestKernel;
  /** Chromium of this machine, closed at the end. */
  readonly browser: Browser;
  /** A folder that is removed at the end. */
  readonly folder: string;
  /** Opens a page in the one window that there is for a screen. */
  open(path: string, screen?: ScreenName): Promise<Visitor>;
}

/**
 * Starts a kernel with the built shell, the built plugin in a package's folder and these definitions, on the time of
 * day, and a browser. Rejects where something is not built.
 *
 * @example
 * await using stage = await startBrowserStage([], { package: packageFolder });
 * const { page, leave } = await stage.open("/notes");
 * await page.getByRole("heading", { name: "Notes" }).waitFor();
 * await leave();
 */
export async function startBrowserStage(
  definitions: readonly PluginDefinition[],
  options: BrowserStageOptions,
): Promise<BrowserStage> {
  const {
    package: packageFolder,
    beside = [],
    reader,
    screens,
    ...kernelOptions
  } = options;
  const folder = await mkdtemp(join(tmpdir(), "gantry-stage-"));
  const pluginFolder = join(folder, "plugins");
  const shell = join(folder, "shell");
  const { resolve: find } = createRequire(join(packageFolder, "package.json"));
  // Copies, so that a build which runs beside the tests changes nothing under them.
  await cp(join(dirname(find("@gantry/shell/package.json")), "dist"), shell, {
    recursive: true,
  });
  for (const plugin of [".", ...beside])
    await copyPlugin(resolve(packageFolder, plugin), pluginFolder);
  const kernel = await startTestKernel(definitions, {
    startAt: new Date().toISOString(),
    ...kernelOptions,
    pluginFolder,
    shell,
  });
  // All pages are ours, and a process takes long to start.
  const browser = await launchBrowser({ args: ["--process-per-site"] });
  const origin = `http://gantry.localhost:${kernel.kernel.port}`;
  const windows = new Map<ScreenName, Promise<BrowserContext>>();

  async function openWindow(screen: ScreenName): Promise<BrowserContext> {
    const { cookie } = await kernel.pairAs("Browser");
    const [name = "", value = ""] = cookie.split("=");
    const context = await browser.newContext({
      ...READER,
      ...SCREENS[screen],
      ...reader,
      ...screens?.[screen],
    });
    await context.addCookies([
      { name, value, url: origin, httpOnly: true, sameSite: "Strict" },
    ]);
    // Stays open: with the last page its process would end, and take along what it compiled.
    await (await context.newPage()).goto(`${origin}/favicon.svg`);
    // Below a test's own time, so that a failure says what was waited for.
    context.setDefaultTimeout(15_000 * readPatience());
    return context;
  }

  return {
    kernel,
    browser,
    folder,
    async open(path, screen = "desk") {
      // What one page has fetched, the next one need not fetch again.
      if (!windows.has(screen)) windows.set(screen, openWindow(screen));
      const page = await (await windows.get(screen)!).newPage();
      const watch = watchPage(page, origin);
      explainFailure(page);
      // Not right at the commit: interception that a test turns on before the browser has finished it is ignored for the
      // whole document, and every request of the page passes the test by.
      await page.goto(origin + path, { waitUntil: "domcontentloaded" });
      return {
        page,
        ...watch,
        async leave() {
          const found = [...watch.faults, ...watch.stray];
          await page.close();
          if (found.length > 0) throw new Error(found.join("\n"));
        },
      };
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await kernel.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Puts a built plugin where a kernel discovers it, with what it was installed with. */
async function copyPlugin(source: string, pluginFolder: string): Promise<void> {
  const target = join(pluginFolder, basename(source));
  await mkdir(target, { recursive: true });
  for (const part of ["package.json", "dist"])
    await cp(join(source, part), join(target, part), { recursive: true });
  const modules = join(source, "node_modules");
  if (existsSync(modules)) await symlink(modules, join(target, "node_modules"));
}
