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
import { startTestKernel } from "../test-kernel.ts";
import type { TestKernel, TestKernelOptions } from "../test-kernel.ts";
import { launchBrowser } from "./chromium.ts";
import { explainFailure } from "./explain-failure.ts";
import { watchPage } from "./watch-page.ts";
import type { PageWatch } from "./watch-page.ts";

/** Screens on which pages are tested. */
const SCREENS = {
  desk: { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
} as const satisfies Record<string, BrowserContextOptions>;

export type ScreenName = keyof typeof SCREENS;

/** Without motion, since a browser that animates all the time slows down other tests. */
const READER = { locale: "en-GB", reducedMotion: "reduce" } as const;

/** Options of {@link startBrowserStage}. */
export interface BrowserStageOptions extends Omit<
  TestKernelOptions,
  "pluginFolder" | "shell"
> {
  /** Folder of the package under test. It must be built, and depend on `@gantry/shell`. */
  package: string;
  /** Folders of other built plugins, relative to that of the package. */
  beside?: readonly string[];
  /** The reader's settings, such as the time zone. */
  reader?: BrowserContextOptions;
  /** Context options by screen, besides its size and colours. */
  screens?: Partial<Record<ScreenName, BrowserContextOptions>>;
}

/** A page that records its faults and requests. */
export interface Visitor extends PageWatch {
  readonly page: Page;
  /**
   * Closes the page. Rejects if an error occurred in it, or if it sent a request to any other server than the daemon.
   */
  leave(): Promise<void>;
}

/** A kernel that serves the built shell and built plugins, and a paired browser. */
export interface BrowserStage extends AsyncDisposable {
  readonly kernel: TestKernel;
  readonly browser: Browser;
  /** A folder that is removed at the end. */
  readonly folder: string;
  /** Opens a page in the window of a screen; there is one window for each. */
  open(path: string, screen?: ScreenName): Promise<Visitor>;
}

/**
 * Starts a kernel with the built shell, the built plugin in a package's folder and these definitions, on the real time
 * of day, and a browser. Rejects if something is not built.
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
  // Copies, so that a build that runs at the same time does not affect the tests.
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
    // Stays open: with the last page the renderer process would end, and lose its compiled code.
    await (await context.newPage()).goto(`${origin}/favicon.svg`);
    // Shorter than a test's timeout, so that a failure names what it waited for.
    context.setDefaultTimeout(60_000);
    return context;
  }

  return {
    kernel,
    browser,
    folder,
    async open(path, screen = "desk") {
      // A shared cache: the next page need not fetch the same files again.
      if (!windows.has(screen)) windows.set(screen, openWindow(screen));
      const page = await (await windows.get(screen)!).newPage();
      const watch = watchPage(page, origin);
      explainFailure(page);
      // Not at the commit: if a test turns interception on before the browser has finished it, interception is ignored
      // for the whole document, and the test sees none of the page's requests.
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

/** Copies a built plugin to where a kernel discovers it, with its installed dependencies. */
async function copyPlugin(source: string, pluginFolder: string): Promise<void> {
  const target = join(pluginFolder, basename(source));
  await mkdir(target, { recursive: true });
  for (const part of ["package.json", "dist"])
    await cp(join(source, part), join(target, part), { recursive: true });
  const modules = join(source, "node_modules");
  if (existsSync(modules)) await symlink(modules, join(target, "node_modules"));
}
