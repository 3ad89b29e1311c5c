import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, CDPSession } from "playwright-core";
import type { Daemon } from "./daemon.ts";
import { countTraffic } from "./traffic.ts";
import type { NetworkListeners, PageLoad } from "./traffic.ts";

/** A tab that showed the home page. */
export interface HomePage {
  cold: PageLoad;
  /** Loads it again in the same profile. */
  loadAgain(): Promise<PageLoad>;
  close(): Promise<void>;
}

/** Without a word on the wire for so long, the page is there. */
const QUIET_MS = 1_000;
const MAX_WAIT_MS = 20_000;

/** Opens the home page in a fresh profile with a session of its own, and waits until nothing more comes. */
export async function loadHomePage(
  browser: Browser,
  daemon: Daemon,
): Promise<HomePage> {
  const context = await browser.newContext();
  const [name = "", value = ""] = daemon.session.cookie.split("=");
  await context.addCookies([
    { name, value, url: daemon.url, httpOnly: true, sameSite: "Strict" },
  ]);
  const page = await context.newPage();
  const wire = await context.newCDPSession(page);
  await wire.send("Network.enable");
  await wire.send("Page.enable");
  await wire.send("Page.setLifecycleEventsEnabled", { enabled: true });
  const watched = () =>
    watchLoad(wire, async () => {
      const response = await page.goto(`${daemon.url}/`);
      if (response?.status() !== 200 && response?.status() !== 304)
        throw new Error(`The home page answered ${response?.status()}.`);
      await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
    });
  return {
    cold: await watched(),
    loadAgain: watched,
    close: () => context.close(),
  };
}

/** Counts what goes over the wire while a page is loaded, until nothing more comes. */
async function watchLoad(
  wire: CDPSession,
  go: () => Promise<unknown>,
): Promise<PageLoad> {
  let lastNews = performance.now();
  const { listeners, result } = countTraffic(() => {
    lastNews = performance.now();
  });
  const hear = ({ method, params }: { method: string; params?: object }) => {
    // The protocol's types say no more of what comes with an event than its name does.
    if (method in listeners)
      listeners[method as keyof NetworkListeners](params as never);
  };
  wire.on("event", hear);
  await go();
  const deadline = performance.now() + MAX_WAIT_MS;
  while (
    performance.now() - lastNews < QUIET_MS &&
    performance.now() < deadline
  )
    await sleep(50);
  wire.off("event", hear);
  return result();
}
