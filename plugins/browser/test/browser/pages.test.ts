import { chromiumPath } from "@gantry/plugin-testing/browser";
import type { ScreenName } from "@gantry/plugin-testing/browser";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type {
  BrowserStatus,
  Download,
  Policy,
  SitePermission,
} from "../../src/contract.ts";
import { inspect } from "./support/inspect.ts";
import {
  addAgent,
  emptyStage,
  fillStage,
  startStage,
} from "./support/stage.ts";
import type { RecordsStage } from "./support/stage.ts";

/** The pages, each with what an empty one says, and with a text that appears once it is complete. */
const PAGES = {
  Tabs: ["No open tabs", "Page of http://localhost:5173/"],
  History: ["No pages visited yet", "Order 50"],
  Downloads: ["No downloads yet", "invoices-2026.zip"],
  Annotations: ["No annotations yet", "It is hard to hit on a phone."],
  Sites: ["No decisions about sites yet", "https://maps.example.com"],
  Agents: ["No agents yet", "shop.example is not among its sites."],
} as const;

/** States of the browser that a page shows. */
const STATUS: BrowserStatus = {
  ...{ found: true, command: "/usr/bin/chromium", version: null },
  ...{ sandbox: "off", running: [], hint: null },
  problem: "The browser ended as it started. It said: cannot open display",
};
const MISSING: BrowserStatus = {
  ...STATUS,
  ...{ found: false, command: null, problem: null },
  hint: "No Chromium, Chrome, Edge or Brave was found on this machine. To install one, run: apt install chromium",
};

const KEPT = "/browser/downloads/dwn_1/file";

/** Run as script by whatever takes it for HTML. */
const HOSTILE = `"><img src=x onerror="window.__xss=1"><b>bold</b>`;

const rows = (page: Page, list: string) =>
  page.getByRole("list", { name: list, exact: true }).getByRole("listitem");
const confirmWith = (page: Page, name: string) =>
  page.getByRole("dialog").getByRole("button", { name }).click();
const go = (page: Page, name: string) =>
  page
    .getByRole("navigation", { name: "Browser pages" })
    .getByRole("link", { name })
    .click();

describe.skipIf(chromiumPath === undefined)("the pages in a browser", () => {
  // Shared, since starting it takes longer than most tests: each of them makes what it looks at.
  let stage: RecordsStage;
  beforeAll(async () => {
    stage = await startStage();
  });
  afterAll(async () => {
    await stage?.[Symbol.asyncDispose]();
  });
  const listOf = async <Item>(path: string) =>
    (await stage.kernel.api.get<{ items: Item[] }>(`/api/browser${path}`)).body
      .items;

  test("an empty page explains how records are added, and follows what is added", async () => {
    await emptyStage(stage);
    const { page, leave } = await stage.open("/browser/history");
    await page.getByText(PAGES.History[0]).waitFor();
    await stage.add("/history");
    await page.getByText("Shop", { exact: true }).waitFor();
    await leave();
  });

  test("records are searched, changed and removed", async () => {
    await emptyStage(stage);
    await fillStage(stage);
    const { page, leave } = await stage.open("/browser/history");
    const today = rows(page, "Today");
    await expect.poll(() => today.count()).toBe(50);
    await page.getByRole("button", { name: "Show more" }).click();
    await expect.poll(() => today.count()).toBe(53);
    await page.keyboard.press("/");
    await page.keyboard.type("getting started");
    await today.getByText("Docs · https://docs.example.com").waitFor();
    await expect.poll(() => page.url()).toContain("q=getting+started");
    expect(
      await page
        .getByRole("link", { name: "Open Getting started" })
        .evaluate((link: HTMLAnchorElement) => [link.href, link.rel]),
    ).toEqual([
      "https://docs.example.com/getting-started",
      "noopener noreferrer nofollow",
    ]);
    await page.getByRole("button", { name: "Remove Getting started" }).click();
    await page.getByText("No visits match").waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await today.first().getByText("2×").waitFor();
    await page.getByRole("button", { name: "Clear history" }).click();
    await page.getByRole("menuitem", { name: "Everything" }).click();
    await confirmWith(page, "Clear");
    await page.getByText("No pages visited yet").waitFor();

    await go(page, "Downloads");
    const downloads = rows(page, "Downloads");
    const running = downloads.filter({ hasText: "video.mp4" });
    await running.getByText("12 MB of 48 MB").waitFor();
    const [newest] = await listOf<{ id: string }>("/downloads");
    await stage.report(newest!.id, { receivedBytes: 24_000_000 });
    await running.getByText("24 MB of 48 MB").waitFor();
    await page.getByRole("button", { name: "Clear list" }).click();
    await confirmWith(page, "Clear list");
    await expect.poll(() => downloads.count()).toBe(1);

    await go(page, "Sites");
    const location = "Location for https://maps.example.com";
    await page.getByRole("combobox", { name: location }).click();
    await page.getByRole("option", { name: "Block" }).click();
    await expect
      .poll(() => listOf<SitePermission>("/permissions?q=maps"))
      .toMatchObject([{ decision: "deny" }]);
    await page.getByRole("button", { name: `Remove ${location}` }).click();
    await expect.poll(() => rows(page, "Permissions").count()).toBe(1);

    await go(page, "Annotations");
    const annotations = rows(page, "Annotations");
    await expect.poll(() => annotations.count()).toBe(2);
    await page.getByRole("button", { name: /^Delete: Make this/ }).click();
    await confirmWith(page, "Delete");
    await expect.poll(() => annotations.count()).toBe(1);
    await leave();
  });

  test("open tabs are listed with their owners, and closed", async () => {
    await emptyStage(stage);
    const agentId = addAgent(stage, "Move the shop");
    await stage.kernel.api.put(`/api/browser/policies/${agentId}`, {
      ...{ tier: "act", sites: ["docs.example.com"] },
    });
    await stage.add("/tabs", { url: "http://localhost:5173/" });
    await stage.add("/tabs", { url: "https://docs.example.com/", agentId });
    const { page, leave } = await stage.open("/browser");
    const tabs = rows(page, "Open tabs");
    await tabs
      .getByText(/^Move the shop · https:\/\/docs.example.com/)
      .waitFor();
    // Those of other tests run on for a while.
    await page.getByText(/^[2-4] browsers, .* of memory$/).waitFor();
    await page
      .getByRole("button", { name: "Close Page of http://localhost:5173/" })
      .click();
    await expect.poll(() => tabs.count()).toBe(1);
    await page.getByRole("button", { name: /^Close / }).press("Enter");
    await page.getByText(PAGES.Tabs[0]).waitFor();
    await leave();
  });

  test("a tab that crashed says so, and its page is opened again", async () => {
    await stage.add("/tabs", { url: "https://crash.example/" });
    const { page, leave } = await stage.open("/browser");
    const tab = rows(page, "Open tabs").filter({ hasText: "crash.example" });
    await tab.getByText("The page crashed.").waitFor();
    await tab
      .getByRole("button", {
        name: "Open Page of https://crash.example/ again",
      })
      .click();
    await tab.getByText("The page crashed.").waitFor({ state: "detached" });
    await tab.getByRole("button", { name: /^Close / }).click();
    await expect.poll(() => tab.count()).toBe(0);
    await leave();
  });

  test("a file that Gantry keeps is saved by a link", async () => {
    const { page, leave } = await stage.open("/browser/history");
    await page.route("**/api/browser/downloads?*", async (route) => {
      const items = await listOf<Download>("/downloads");
      const kept = items.map((item) => ({ ...item, file: `/api${KEPT}` }));
      await route.fulfill({ json: { items: kept, nextCursor: null } });
    });
    await stage.add("/downloads", { fileName: "report.pdf" });
    await go(page, "Downloads");
    expect(
      await page
        .getByRole("link", { name: "Save report.pdf" })
        .evaluate((link: HTMLAnchorElement) => [link.pathname, link.download]),
    ).toEqual([`/api${KEPT}`, "report.pdf"]);
    await leave();
  });

  test("a machine without a browser is told how to get one", async () => {
    const { page, leave } = await stage.open("/browser/history");
    let status = MISSING;
    await page.route("**/api/browser/status", (route) =>
      route.fulfill({ json: status }),
    );
    await go(page, "Tabs");
    await page.getByText("apt install chromium", { exact: true }).waitFor();
    status = STATUS;
    await page.getByRole("button", { name: "Look again" }).click();
    await page.getByText("It said: cannot open display").waitFor();
    await page.getByText("The sandbox is off").waitFor();
    await leave();
  });

  test("what an agent may do is chosen, and wrong sites are explained", async () => {
    const agentId = addAgent(stage, "Manual");
    await stage.add("/developer/audit", { agentId, method: "Page.reload" });
    const allowed = { method: "Page.captureScreenshot", verdict: "allowed" };
    await stage.add("/developer/audit", { agentId, ...allowed, reason: null });
    const { page, leave, faults } = await stage.open("/browser/agents");
    const card = page.getByRole("region", { name: "Manual" });
    const policy = () => listOf<Policy>(`/policies?q=${agentId}`);
    await card.getByRole("radio", { name: /^Read/ }).click();
    await card.getByText("It opens no pages itself").waitFor();
    await expect.poll(policy).toMatchObject([{ tier: "read", sites: [] }]);
    const site = card.getByRole("textbox", { name: "Add a site" });
    await site.fill("not a site");
    await site.press("Enter");
    await card.getByText("must be a host name such as example.com").waitFor();
    await site.fill("Docs.Example.com");
    await site.press("Enter");
    await card.getByText("docs.example.com", { exact: true }).waitFor();
    await card.getByRole("checkbox", { name: "All public sites" }).click();
    await expect
      .poll(policy)
      .toMatchObject([{ tier: "read", sites: ["docs.example.com", "*"] }]);
    await page.getByText(PAGES.Agents[1]).first().waitFor();
    await page.getByRole("switch", { name: "Refused only" }).click();
    await page.getByText("Page.captureScreenshot").first().waitFor();
    // The site that is none.
    expect(faults.filter((fault) => !fault.includes("400"))).toEqual([]);
    faults.length = 0;
    await leave();
  });

  test("a page that is out of date gives back no rights that were taken away", async () => {
    const agentId = addAgent(stage, "Reader");
    const policy = `/api/browser/policies/${agentId}`;
    await stage.kernel.api.put(policy, { tier: "read", sites: ["*"] });
    const { page, leave, faults } = await stage.open("/browser/agents");
    const card = page.getByRole("region", { name: "Reader" });
    const everywhere = card.getByRole("checkbox", { name: "All public sites" });
    await everywhere.waitFor();
    const seen = Promise.withResolvers<void>();
    await page.route("**/api/browser/policies?*", async (route) => {
      await seen.promise;
      await route.continue();
    });
    await stage.kernel.api.put(policy, { tier: "none", sites: [] });
    await everywhere.click();
    await page.getByText("The sites were not saved").waitFor();
    seen.resolve();
    await expect
      .poll(() => card.getByRole("radio", { name: /^Nothing/ }).isChecked())
      .toBe(true);
    expect(await listOf<Policy>(`/policies?q=${agentId}`)).toMatchObject([
      { tier: "none", sites: [] },
    ]);
    expect(faults.filter((fault) => !fault.includes("412"))).toEqual([]);
    faults.length = 0;
    await leave();
  });

  test("hostile text in every record is shown as text", async () => {
    const url = `https://example.com/?q=${encodeURIComponent(HOSTILE)}`;
    await stage.add("/history", { url, title: HOSTILE });
    await stage.add("/downloads", {
      url,
      fileName: `${HOSTILE.replaceAll("/", "")}`,
    });
    await stage.add("/annotations", {
      ...{ url, title: HOSTILE, selector: HOSTILE, text: HOSTILE },
      comment: HOSTILE,
    });
    await stage.add("/developer/audit", { method: HOSTILE, reason: HOSTILE });
    const { page, leave } = await stage.open("/browser/history");
    for (const name of ["History", "Downloads", "Annotations", "Agents"]) {
      await go(page, name);
      await page.getByRole("main").getByText("onerror=").first().waitFor();
      expect(await page.locator("main b, main img[src=x]").count()).toBe(0);
    }
    expect(await page.evaluate("window.__xss")).toBeUndefined();
    await leave();
  });

  test.each<ScreenName>(["desk", "phone"])(
    "on a %s axe finds nothing and nothing sticks out, full, empty and failed",
    { tags: ["thorough"] },
    async (screen) => {
      await using shown = await startStage();
      const { page, faults, leave } = await shown.open("/browser", screen);
      const look = async (part: 0 | 1, state: string) => {
        for (const [name, words] of Object.entries(PAGES)) {
          await go(page, name);
          await page.getByRole("main").getByText(words[part]).first().waitFor();
          await inspect(page, `${name.toLowerCase()}-${state}`);
        }
      };
      await look(0, "empty");
      await fillStage(shown);
      await shown.add("/tabs", { url: "https://crash.example/" });
      await look(1, "full");
      for (const [name, json] of Object.entries({ MISSING, STATUS })) {
        await page.route("**/api/browser/status", (route) =>
          route.fulfill({ json }),
        );
        await go(page, "History");
        await go(page, "Tabs");
        await page
          .getByText(json.problem ?? "There is no browser to run")
          .waitFor();
        await inspect(page, `tabs-${name.toLowerCase()}`);
        await page.unroute("**/api/browser/status");
      }
      await page.route("**/api/browser/history?*", (route) => route.abort());
      await page.goto(new URL("/browser/history", page.url()).href);
      await page.getByText("The visits could not be loaded").waitFor();
      await inspect(page, "history-failed");
      await page.unroute("**/api/browser/history?*");
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByText("Shop", { exact: true }).waitFor();
      // The request that was aborted.
      faults.length = 0;
      await leave();
    },
  );
});
