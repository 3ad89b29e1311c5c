import { join } from "node:path";
import { findBarriers } from "@gantry/ui-kit/testing";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createApiClient } from "../support/api-client.ts";
import {
  chromiumPath,
  keepScreenshot,
  launchBrowser,
  openVisitor,
  pairVisitor,
} from "../support/browser.ts";
import type { Visitor } from "../support/browser.ts";
import { startDaemon } from "../support/daemon.ts";
import type { Daemon } from "../support/daemon.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";

describe.skipIf(chromiumPath === undefined)("the dashboard", () => {
  let stack: AsyncDisposableStack;
  let daemon: Daemon;
  let visitor: Visitor;
  let page: Page;

  beforeAll(async () => {
    stack = new AsyncDisposableStack();
    const folder = stack.use(await createTemporaryFolder("dashboard"));
    daemon = stack.use(await startDaemon(join(folder.path, "home")));
    const browser = stack.use(await launchBrowser());
    visitor = await openVisitor(browser, daemon, {
      viewport: { width: 1280, height: 900 },
      reducedMotion: "reduce",
    });
    ({ page } = visitor);
    await pairVisitor(visitor, daemon);
    await page.getByRole("heading", { name: "Home" }).waitFor();
  });

  afterAll(() => stack.disposeAsync());
  afterEach(({ task }) =>
    task.result?.state === "fail"
      ? keepScreenshot(page, `failed-${task.name.replace(/\W+/g, "-")}`)
      : undefined,
  );

  test(
    "says what will be here until an agent has worked",
    { tags: "thorough" },
    async () => {
      await page.keyboard.press("g");
      await page.keyboard.press("d");
      await page.getByText("The first turn draws the first bar").waitFor();
      await look();
    },
  );

  test(
    "shows turns as they end: what is known of their cost, and of how many nothing is",
    { tags: "thorough" },
    async () => {
      const { call } = await createApiClient(daemon);
      const agent = await call<{ id: string }>("POST", "/api/agents", {
        cli: "practice",
        name: "Painter",
      });
      const say = (text: string) =>
        call("POST", `/api/agents/${agent.body.id}/ask`, { text });
      await say("[[cost:1.5]][[reply:a]]");
      await say("[[cost:0.5]][[reply:b]]");
      await say("[[reply:free of figures]]");

      const inShort = page.getByRole("region", { name: "In short" });
      await inShort.getByText("$2.00").waitFor();
      await inShort.getByText("without 1 turn of unknown cost").waitFor();
      const spent = page.getByRole("slider", { name: "Spent by day" });
      await expect
        .poll(() => spent.getAttribute("aria-valuetext"))
        .toMatch(/Spent \$2\.00, 1 turn of unknown cost$/);
      await page
        .getByRole("list", { name: "By agent" })
        .getByRole("link", { name: "Painter" })
        .waitFor();
      await look();
    },
  );

  test(
    "has its figures as a table too, and its range in the address",
    { tags: "thorough" },
    async () => {
      const card = page.getByRole("region", { name: "Spent", exact: true });
      await card.getByRole("button", { name: "Show as table" }).click();
      const today = card.getByRole("row").nth(1);
      await today.getByText("$2.00").waitFor();
      await today.getByText("1 turn of unknown cost").waitFor();
      expect(await findBarriers(page)).toEqual([]);

      await card.getByRole("button", { name: "Show as chart" }).click();
      await page.getByRole("button", { name: "Today" }).click();
      await page.waitForURL(/range=today/);
      await page.getByRole("slider", { name: "Spent by hour" }).waitFor();
      await page.reload();
      await page.getByRole("slider", { name: "Spent by hour" }).waitFor();
      await page.getByRole("button", { name: "Days of your own" }).click();
      const first = new Date(Date.now() - 10 * 86_400_000);
      const day = first.toISOString().slice(0, 10);
      await page.getByLabel("First day").fill(day);
      await page.getByLabel("First day").press("Tab");
      await page.waitForURL((url) => url.search.includes(`range=${day}..`));
      expect(visitor.faults).toEqual([]);
    },
  );

  /** Looks at the page in light and dark, on a desk and on a phone. */
  async function look(): Promise<void> {
    await page.emulateMedia({ colorScheme: "light" });
    expect(await findBarriers(page), "light").toEqual([]);
    await page.emulateMedia({ colorScheme: "dark" });
    await page.locator("html.dark").waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await expect
      .poll(() =>
        page.evaluate("document.documentElement.scrollWidth <= innerWidth"),
      )
      .toBe(true);
    expect(await findBarriers(page), "dark, on a phone").toEqual([]);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.emulateMedia({ colorScheme: "light" });
  }
});
