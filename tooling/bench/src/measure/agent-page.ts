import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, BrowserContext, Page } from "playwright-core";
import type { Daemon } from "./daemon.ts";

/** How the page of an agent came up. */
export interface Opening {
  /** From the click, or the start of the load, to the paint of the last message, in ms. */
  shownMs: number;
  /** Processor time of the page's main thread until then, in ms. */
  cpuMs: number;
}

/** What an agent's page did over some time. */
export interface Activity {
  /** Length of each frame, in ms. */
  frames: number[];
  /** The longest task of the main thread, in ms; what browsers do not report is shorter than 50 ms. */
  longestTaskMs: number;
  /** Processor time of the main thread, in ms. */
  cpuMs: number;
}

/** A tab whose time and layout are watched. */
export interface AgentTab extends AsyncDisposable {
  readonly page: Page;
  /** Opens the page of an agent by its link in the navigation of the home page. */
  open(path: string, last: string): Promise<Opening>;
  /** Loads the page again that is open. */
  reload(last: string): Promise<Opening>;
  /** Watches the page while something happens. */
  watch(work: () => Promise<unknown>): Promise<Activity>;
  /** What has moved without the user since the last opening, summed up as browsers do. */
  readShift(): Promise<number>;
}

/** What the page keeps of what happens in it. */
interface Watched {
  shifts: { at: number; value: number }[];
  tasks: number[];
  frames: number[];
  begunAt: number;
  /** Resolves with the ms from the beginning until a text of the conversation is painted. */
  untilPainted(text: string): Promise<number>;
}

/** The page that is left has come to rest by then. */
const SETTLE_MS = 1_000;

/** A window as people use one beside other things. */
const VIEWPORT = { width: 1440, height: 900 };

/** Makes a profile that is paired. Its cache fills with the pages that are opened. */
export async function openProfile(
  browser: Browser,
  daemon: Daemon,
): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: VIEWPORT });
  const [name = "", value = ""] = daemon.session.cookie.split("=");
  await context.addCookies([
    { name, value, url: daemon.url, httpOnly: true, sameSite: "Strict" },
  ]);
  await context.addInitScript(watchPage);
  return context;
}

/** Opens a tab. */
export async function openTab(
  context: BrowserContext,
  { url }: Daemon,
): Promise<AgentTab> {
  const page = await context.newPage();
  const wire = await context.newCDPSession(page);
  // Time that other processes took of a shared processor is not the page's.
  await wire.send("Performance.enable", { timeDomain: "threadTicks" });
  const readCpu = async () => {
    const { metrics } = await wire.send("Performance.getMetrics");
    const found = metrics.find(({ name }) => name === "TaskDuration");
    return (found?.value ?? Number.NaN) * 1000;
  };
  const untilPainted = async (last: string, before: number) => {
    const shownMs = await page.evaluate(
      (text) => watchedPage.untilPainted(text),
      last,
    );
    return { shownMs, cpuMs: (await readCpu()) - before };
  };
  return {
    page,
    async open(path, last) {
      await page.goto(`${url}/`);
      await page.locator(`nav a[href="${path}"]`).waitFor();
      await sleep(SETTLE_MS);
      // In the page: what a command of the driver takes is not the page's.
      const click = (href: string) => {
        watchedPage.begunAt = performance.now();
        document.querySelector<HTMLElement>(`nav a[href="${href}"]`)?.click();
      };
      const before = await readCpu();
      await page.evaluate(click, path);
      return await untilPainted(last, before);
    },
    async reload(last) {
      await page.reload({ waitUntil: "commit" });
      // With the new document the browser counts from nothing.
      return await untilPainted(last, 0);
    },
    async watch(work) {
      const before = await readCpu();
      await page.evaluate(() => {
        watchedPage.tasks.length = watchedPage.frames.length = 0;
      });
      await work();
      const { frames, tasks } = await page.evaluate(() => {
        const { frames, tasks } = watchedPage;
        return { frames: [...frames], tasks: [...tasks] };
      });
      const cpuMs = (await readCpu()) - before;
      return { frames, longestTaskMs: Math.max(0, ...tasks), cpuMs };
    },
    readShift: () =>
      page.evaluate(() =>
        watchedPage.shifts
          .filter(({ at }) => at >= watchedPage.begunAt)
          .reduce((sum, { value }) => sum + value, 0),
      ),
    [Symbol.asyncDispose]: () => page.close(),
  };
}

declare const watchedPage: Watched;

/** Runs in the page, before anything of it does. */
function watchPage(): void {
  const watched: Watched = {
    ...{ shifts: [], tasks: [], frames: [], begunAt: 0 },
    untilPainted: (text) =>
      new Promise((resolve) => {
        const look = () => {
          const feed = document.querySelector('[role="feed"]');
          const isThere = feed?.textContent?.includes(text);
          // The frame after the one in which it is found begins when that was painted.
          requestAnimationFrame(
            isThere ? () => resolve(performance.now() - watched.begunAt) : look,
          );
        };
        look();
      }),
  };
  Object.assign(globalThis, { watchedPage: watched });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      // TypeScript's library does not know this kind of entries.
      const { startTime, value, hadRecentInput } = entry as PerformanceEntry & {
        value: number;
        hadRecentInput: boolean;
      };
      if (!hadRecentInput) watched.shifts.push({ at: startTime, value });
    }
  }).observe({ type: "layout-shift", buffered: true });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) watched.tasks.push(duration);
  }).observe({ type: "longtask" });
  let before = performance.now();
  const step = (now: number) => {
    watched.frames.push(now - before);
    before = now;
    requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}
