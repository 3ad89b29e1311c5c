import { findBarriers } from "@gantry/ui-kit/testing";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { AppBlock } from "../../src/contract.ts";
import { refuse } from "./support/demo.ts";
import { containers, makeProcesses } from "./support/gallery.ts";
import type { Stage } from "./support/stage.ts";

/** What the first column shows, row by row. */
const firstCells = (page: Page) =>
  page
    .locator("tbody tr[data-index]")
    .evaluateAll((rows) =>
      rows.slice(0, 3).map((row) => row.querySelector("a")?.textContent),
    );

const many: AppBlock = {
  type: "table",
  columns: [
    { key: "name", label: "Name" },
    { key: "size", label: "Size", align: "end" },
  ],
  isSearchable: true,
  rows: Array.from({ length: 5000 }, (_, index) => ({
    id: `r${index}`,
    path: `row/${index}`,
    cells: { name: `row ${index}`, size: { bytes: (index * 7919) % 5000 } },
  })),
};

export function tryRows(given: () => Stage): void {
  describe("rows", () => {
    test(
      "5,000 rows are drawn as they come into view, sorted, searched and gone through with keys",
      { tags: "thorough" },
      async () => {
        given().demo.show("many", () => ({ title: "Many", blocks: [many] }));
        given().demo.show("row/4999", () => ({ title: "Last", blocks: [] }));
        const { page, leave } = await given().open("/apps/demo?path=many");
        await page.getByRole("link", { name: "row 0", exact: true }).waitFor();
        const drawn = () => page.locator("tbody tr[data-index]").count();
        expect(await drawn()).toBeLessThan(80);
        expect(
          await page.getByRole("table").getAttribute("aria-rowcount"),
        ).toBe("5001");
        await page.getByRole("link", { name: "row 0", exact: true }).focus();
        await page.keyboard.press("ArrowDown");
        await page.keyboard.press("PageDown");
        const focused = () => page.locator(":focus").textContent();
        await expect.poll(focused).toBe("row 11");
        await page.keyboard.press("End");
        await expect.poll(focused).toBe("row 4999");
        expect(await drawn()).toBeLessThan(80);
        // One stop for Tab, however many rows there are.
        await page.keyboard.press("Shift+Tab");
        await expect.poll(focused).toBe("Size");
        await page.keyboard.press("Enter");
        await page
          .getByRole("columnheader", { name: "Size", exact: true })
          .and(page.locator("[aria-sort=ascending]"))
          .waitFor();
        await expect
          .poll(() => firstCells(page))
          .toEqual(["row 0", "row 2679", "row 358"]);
        await page.getByRole("searchbox", { name: "Search rows" }).fill("4999");
        await expect.poll(drawn).toBe(1);
        await expect
          .poll(() => new URL(page.url()).search)
          .toContain("table.q");
        // A click on any cell opens the row.
        await page.getByRole("cell").last().click();
        await page.getByRole("heading", { name: "Last", level: 1 }).waitFor();
        await page.goBack();
        await expect.poll(drawn).toBe(1);
        expect(
          await page
            .getByRole("searchbox", { name: "Search rows" })
            .inputValue(),
        ).toBe("4999");
        await page
          .locator("[aria-sort=ascending]")
          .filter({ hasText: "Size" })
          .waitFor();
        await page.goForward();
        await page.getByRole("heading", { name: "Last", level: 1 }).waitFor();
        await leave();
      },
    );

    test(
      "chosen rows go along with an action once it is confirmed",
      { tags: "thorough" },
      async () => {
        const { demo } = given();
        demo.show("some", () => ({
          title: "Some",
          blocks: [makeProcesses(60)],
        }));
        demo.on("stop", () => ({ toast: { text: "Stopped" } }));
        const { page, leave } = await given().open(
          "/apps/demo?path=some&table.sort=pid",
        );
        const bulk = page.getByRole("button", { name: "Stop selected" });
        await page
          .getByRole("checkbox", { name: "Select node 0", exact: true })
          .check();
        await page
          .getByRole("checkbox", { name: "Select esbuild 3", exact: true })
          .click({ modifiers: ["Shift"] });
        await page.getByText("4 selected").waitFor();
        await page
          .getByRole("checkbox", { name: "Select claude 1", exact: true })
          .uncheck();
        // What the search hides takes no part.
        await page.getByRole("searchbox").fill("esbuild");
        await page.getByText("1 selected").waitFor();
        await page.getByRole("searchbox").fill("");
        await page.getByText("3 selected").waitFor();
        const before = demo.acted.length;
        await bulk.click();
        await page.getByText("The selected processes end at once.").waitFor();
        await page.keyboard.press("Escape");
        expect(demo.acted).toHaveLength(before);
        await bulk.click();
        await page
          .getByRole("dialog")
          .getByRole("button", { name: "Stop selected" })
          .click();
        await page.getByText("0 selected").waitFor();
        expect(demo.acted.at(-1)).toEqual({
          action: "stop",
          path: "some",
          args: { rows: ["p0", "p2", "p3"] },
        });
        await leave();
      },
    );

    test(
      "a row's actions stand beside it and in its menu; on a phone all are in the menu",
      { tags: "thorough" },
      async () => {
        const { demo } = given();
        demo.show("list", () => ({ title: "List", blocks: [containers] }));
        demo.show("log", () => ({ title: "The log", blocks: [] }));
        demo.on("stop", () => {
          throw refuse("Redis is needed by the shop.");
        });
        const { page, leave, faults } = await given().open(
          "/apps/demo?path=list",
        );
        await page.getByRole("button", { name: "Stop : redis" }).click();
        const toast = page.getByText('"Stop" did not work');
        await toast.waitFor();
        await page.getByText(/Redis is needed by the shop\./).waitFor();
        demo.on("stop", () => ({ toast: { text: "Redis is stopped" } }));
        await page.getByRole("button", { name: "Try again" }).click();
        await page.getByText("Redis is stopped").waitFor();
        await toast.waitFor({ state: "detached" });
        await page
          .getByRole("button", { name: "More actions: mailpit" })
          .click();
        await page.getByRole("menuitem", { name: "Logs" }).waitFor();
        expect(await findBarriers(page, { within: "[role=menu]" })).toEqual([]);
        await page.keyboard.press("Escape");
        await expect
          .poll(() => page.locator(":focus").getAttribute("aria-label"))
          .toBe("More actions: mailpit");
        await page.keyboard.press("Enter");
        await page.getByRole("menuitem", { name: "Logs" }).click();
        await page
          .getByRole("heading", { name: "The log", level: 1 })
          .waitFor();
        expect(faults.filter((fault) => !fault.includes("409"))).toEqual([]);
        faults.length = 0;
        await leave();

        const phone = await given().open("/apps/demo?path=list", "phone");
        await phone.page
          .getByRole("combobox", { name: "Sort by" })
          .selectOption("Size, descending");
        await expect
          .poll(() =>
            phone.page
              .getByRole("list", { name: "Containers" })
              .getByRole("listitem")
              .first()
              .textContent(),
          )
          .toContain("minio");
        await phone.page
          .getByRole("button", { name: "More actions: mailpit" })
          .click();
        await phone.page.getByRole("menuitem", { name: "Stop" }).waitFor();
        await phone.leave();
      },
    );

    test(
      "no rows say what the app says; no match can be cleared",
      { tags: "thorough" },
      async () => {
        given().demo.show("none", () => ({
          title: "None",
          blocks: [
            { type: "list", title: "Images", rows: [], empty: "No image yet." },
            { ...containers, title: "Containers" },
          ] as AppBlock[],
        }));
        const { page, leave } = await given().open(
          "/apps/demo?path=none&list-2.q=nothing",
        );
        await page.getByText("No image yet.").waitFor();
        await page.getByText("No rows match").waitFor();
        await page.getByRole("button", { name: "Clear search" }).click();
        await page.getByRole("link", { name: "postgres" }).waitFor();
        await expect.poll(() => new URL(page.url()).search).toBe("?path=none");
        await leave();
      },
    );
  });
}
