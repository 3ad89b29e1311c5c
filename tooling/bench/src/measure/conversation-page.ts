import type { Browser } from "playwright-core";
import type { Daemon } from "./daemon.ts";

/** How a conversation came up and moved. */
export interface ConversationLoad {
  /** From following a link on a page that is open already to the last message being drawn, in ms. */
  shownMs: number;
  /** Length of each frame while it scrolled, in ms. */
  frames: number[];
}

const SCROLLED_MS = 2_000;

/** Opens a conversation from the list of agents, as people do, and scrolls through it. */
export async function measureConversation(
  browser: Browser,
  daemon: Daemon,
  { path, last }: { path: string; last: string },
): Promise<ConversationLoad> {
  const context = await browser.newContext();
  try {
    const [name = "", value = ""] = daemon.session.cookie.split("=");
    await context.addCookies([
      { name, value, url: daemon.url, httpOnly: true, sameSite: "Strict" },
    ]);
    const page = await context.newPage();
    await page.goto(`${daemon.url}/agents`);
    await page.locator(`main a[href="${path}"]`).first().waitFor();
    // Measured in the page: what a command of the driver takes is not the page's.
    const shownMs = await page.evaluate(
      ([href, text]) =>
        new Promise<number>((resolve) => {
          const begun = performance.now();
          const look = () => {
            const feed = document.querySelector('[role="feed"]');
            if (feed?.textContent?.includes(text))
              requestAnimationFrame(() => resolve(performance.now() - begun));
            else requestAnimationFrame(look);
          };
          document
            .querySelector<HTMLAnchorElement>(`main a[href="${href}"]`)
            ?.click();
          look();
        }),
      [path, last] as const,
    );
    const frames = await page.evaluate(
      (forMs) =>
        new Promise<number[]>((resolve) => {
          const scroller = document.querySelector("[data-conversation]");
          const lengths: number[] = [];
          const begun = performance.now();
          let before = begun;
          const step = (now: number) => {
            lengths.push(now - before);
            before = now;
            scroller?.scrollBy(0, -40);
            if (now - begun < forMs) requestAnimationFrame(step);
            else resolve(lengths.slice(2));
          };
          requestAnimationFrame(step);
        }),
      SCROLLED_MS,
    );
    return { shownMs, frames };
  } finally {
    await context.close();
  }
}
