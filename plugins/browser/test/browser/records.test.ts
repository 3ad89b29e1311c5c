import { chromiumPath } from "@gantry/plugin-testing/browser";
import type { ScreenName } from "@gantry/plugin-testing/browser";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fillRecords } from "./support/fill-records.ts";
import { inspect } from "./support/inspect.ts";
import { startRecordsStage } from "./support/records-stage.ts";
import type { RecordsStage } from "./support/records-stage.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** The pages, each with a text that appears once the page is complete. */
const pages = {
  annotations: "It is hard to hit on a phone.",
  downloads: "invoices-2026.zip",
  history: "Order 59",
  sites: "https://maps.example.com",
  agents: "shop.example.net is not among its sites.",
};

const rows = (page: Page, list: string) =>
  page.getByRole("list", { name: list, exact: true }).getByRole("listitem");
const confirmWith = (page: Page, name: string) =>
  page.getByRole("dialog").getByRole("button", { name }).click();

describe.skipIf(chromiumPath === undefined)(
  "the pages of records in a browser",
  { timeout: 120_000 },
  () => {
    let stage: RecordsStage;
    let agents: string[];
    beforeAll(async () => {
      stage = await startRecordsStage(2 * DAY_MS);
    }, 120_000);
    afterAll(async () => {
      await stage?.[Symbol.asyncDispose]();
    });

    test("empty pages explain how records are added", async () => {
      const { page, leave } = await stage.open("/browser/history", "phone");
      for (const [name, words] of [
        ["History", "No pages visited yet"],
        ["Annotations", "No annotations yet"],
        ["Downloads", "No downloads yet"],
        ["Sites", "No site has asked for a permission yet"],
        ["Agents", "No agents yet"],
      ] as const) {
        await page
          .getByRole("navigation", { name: "Browser pages" })
          .getByRole("link", { name })
          .click();
        await page.getByText(words).waitFor();
        await inspect(page, `${name.toLowerCase()}-empty`);
      }
      await leave();
      agents = await fillRecords(stage);
    });

    test.each<ScreenName>(["desk", "phone"])(
      "on a %s axe finds nothing and nothing sticks out",
      async (screen) => {
        const { page, leave } = await stage.open("/browser/history", screen);
        for (const [name, words] of Object.entries(pages)) {
          await page.goto(new URL(`/browser/${name}`, page.url()).href);
          await page.getByRole("main").getByText(words).first().waitFor();
          await inspect(page, name);
        }
        await leave();
      },
    );

    test("history is paged, searched, removed and cleared", async () => {
      const { page, leave } = await stage.open("/browser/history");
      const today = rows(page, "Today");
      await expect.poll(() => today.count()).toBe(50);
      await expect.poll(() => today.first().innerText()).toContain("2×");
      await page.getByRole("button", { name: "Show more" }).click();
      await expect.poll(() => today.count()).toBe(61);
      const search = page.getByRole("searchbox", { name: "Search visits" });
      await search.fill("getting started");
      await page
        .getByText("https://docs.example.com/getting-started")
        .waitFor();
      await expect.poll(() => page.url()).toContain("q=getting+started");
      await page
        .getByRole("button", { name: "Remove Getting started" })
        .click();
      await page.getByText("No visits match").waitFor();
      await page.getByRole("button", { name: "Show all" }).click();
      await expect.poll(() => today.count()).toBe(50);
      await page.getByRole("button", { name: "Clear history" }).click();
      await page.getByRole("menuitem", { name: "Everything" }).click();
      await confirmWith(page, "Clear");
      await page.getByText("No pages visited yet").waitFor();
      await leave();
    });

    test("downloads show their progress, and are cancelled and cleared", async () => {
      const { downloads } = stage.records();
      const { page, leave } = await stage.open("/browser/downloads");
      const list = rows(page, "Downloads");
      await expect.poll(() => list.count()).toBe(3);
      const running = list.filter({ hasText: "video.mp4" });
      await running.getByText("12 MB of 48 MB").waitFor();
      const { items } = await downloads.list({ limit: 1 });
      await downloads.update(items[0]!.id, { receivedBytes: 24_000_000 });
      await running.getByText("24 MB of 48 MB").waitFor();
      await page.getByRole("button", { name: "Clear list" }).click();
      await confirmWith(page, "Clear list");
      await expect.poll(() => list.count()).toBe(1);
      await page.getByRole("button", { name: "Cancel video.mp4" }).click();
      await page.getByText("No downloads yet").waitFor();
      await leave();
    });

    test("a permission is changed and removed", async () => {
      const { permissions } = stage.records();
      const { page, leave } = await stage.open("/browser/sites");
      const decision = page.getByRole("combobox", {
        name: "Location for https://maps.example.com",
      });
      await decision.click();
      await page.getByRole("option", { name: "Block" }).click();
      await expect
        .poll(
          async () =>
            (await permissions.list({ limit: 9, q: "maps" })).items[0]
              ?.decision,
        )
        .toBe("deny");
      await page.getByRole("button", { name: "Remove Location for" }).click();
      await decision.waitFor({ state: "detached" });
      await leave();
    });

    test("what an agent may do is changed with one click each", async () => {
      const { policies } = stage.records();
      const docs = agents[1]!;
      const { page, leave, faults } = await stage.open("/browser/agents");
      const card = page.getByRole("region", { name: "Docs" });
      await card.getByRole("radio", { name: /^Read/ }).click();
      await expect
        .poll(() => policies.get(docs))
        .toMatchObject({ tier: "read", sites: [], ownServers: true });
      await card.getByRole("checkbox", { name: "Its own dev servers" }).click();
      await card.getByText("It cannot open any page yet").waitFor();
      const site = card.getByRole("textbox", { name: "Add a site for Docs" });
      await site.fill("not a site");
      await site.press("Enter");
      await page.getByText("The setting was not saved").waitFor();
      await site.fill("Docs.Example.com");
      await site.press("Enter");
      await card.getByText("docs.example.com").waitFor();
      await card.getByRole("checkbox", { name: "All public sites" }).click();
      await expect
        .poll(() => policies.get(docs))
        .toMatchObject({
          sites: ["docs.example.com", "*"],
          ownServers: false,
        });
      await page.getByText("shop.example.net is not among its sites").waitFor();
      await page.getByRole("switch", { name: "Refused only" }).click();
      await page.getByText("Page.captureScreenshot").waitFor();
      // The only invalid site.
      expect(faults.filter((fault) => !fault.includes("400"))).toEqual([]);
      faults.length = 0;
      await leave();
    });

    test("an annotation is deleted after a question", async () => {
      const { page, leave } = await stage.open("/browser/annotations");
      const list = rows(page, "Annotations");
      await expect.poll(() => list.count()).toBe(2);
      await page.getByRole("button", { name: /^Delete: Make this/ }).click();
      await confirmWith(page, "Delete");
      await expect.poll(() => list.count()).toBe(1);
      await stage.empty();
      await page.getByText("No annotations yet").waitFor();
      await leave();
    });
  },
);
