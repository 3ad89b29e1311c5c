import type { ScreenName } from "@gantry/plugin-testing/browser";
import { findBarriers } from "@gantry/ui-kit/testing";
import type { Page } from "playwright-core";
import { isThorough, keepPicture, thoroughUnless } from "@gantry/build/testing";
import { describe, expect, test } from "vitest";
import type { Stage } from "./support/stage.ts";

export function tryLooks(given: () => Stage): void {
  describe("to look at", () => {
    for (const [where, screen] of [
      ["a desk, light", "desk"],
      ["a phone, dark", "phone"],
    ] satisfies [string, ScreenName][])
      test(
        `on ${where} axe finds nothing, and nothing sticks out`,
        { tags: thoroughUnless(screen === "desk") },
        async () => {
          given().kernel.expectFault(/App failed/);
          await given().setBadge({
            text: "3",
            tone: "attention",
            label: "3 stopped",
          });
          const { page, leave, faults } = await given().open("/apps", screen);
          const go = (path: string) =>
            page.goto(new URL(path, page.url()).href);
          const look = (name: string, within?: string) =>
            inspect(page, name, within);

          await page.getByRole("link", { name: "Demo" }).waitFor();
          await page.getByText("3 stopped").waitFor({ state: "attached" });
          await look("grid", "main");
          await go("/apps/demo?path=gallery");
          await page.getByRole("link", { name: "postgres" }).waitFor();
          await look("overview", "main");
          await go("/apps/demo?path=gallery/form");
          await page.getByLabel("Title").fill("");
          await page.getByRole("button", { name: "Save settings" }).click();
          await page.getByText("Enter a value.").waitFor();
          await look("form", "main");
          // One state of each page is enough for every change.
          if (!isThorough) return leave();

          await page.getByRole("tab", { name: "Log" }).click();
          await page.getByRole("log").waitFor();
          await look("log", "main");
          await go("/apps/broken-app");
          await page.getByText("Broken could not be shown").waitFor();
          await look("failure", "main");
          await go("/apps/demo?path=gallery/rows");
          await page.getByRole("link", { name: "esbuild 27" }).waitFor();
          await page.getByRole("checkbox", { name: "Select node 54" }).check();
          await look("rows", "main");
          await go("/apps/demo?path=gallery/charts");
          await page.getByRole("meter", { name: "Memory" }).waitFor();
          await page.getByRole("slider", { name: "CPU" }).focus();
          await look("charts", "main");
          await page.locator("[data-page-scroll]").evaluate((box) => {
            box.scrollTop = 1e9;
          });
          await look("charts-end", "main");
          await go("/apps");
          await page.getByRole("button", { name: "Change order" }).click();
          await page.getByRole("button", { name: "Move Demo later" }).waitFor();
          await look("order", "main");

          // What the browser itself says of an answer that is an error.
          expect(faults.filter((fault) => !fault.includes("502"))).toEqual([]);
          faults.length = 0;
          await leave();
        },
      );
  });
}

/** Keeps a picture of the page, and looks for what keeps people from using it. */
async function inspect(
  page: Page,
  name: string,
  within?: string,
): Promise<void> {
  const { width } = page.viewportSize() ?? { width: 0 };
  await keepPicture(page, `apps/${name}-${width}`);
  const scope = within === undefined ? {} : { within };
  expect(await findBarriers(page, scope), name).toEqual([]);
  expect(await page.evaluate(findOverflow), name).toEqual([]);
}

/** Names what reaches over the edge of the screen, or makes the document scroll behind the page. */
const findOverflow = `(() => {
  const found = [];
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) found.push("document " + scrollWidth);
  for (const element of document.querySelectorAll("[data-page-scroll] *, [role=dialog] *")) {
    const { right, width } = element.getBoundingClientRect();
    const mayReachOver = element.closest("pre, .truncate, .overflow-auto, .overflow-x-auto");
    if (width > 0 && right > innerWidth + 1 && !mayReachOver)
      found.push(element.outerHTML.slice(0, 120));
  }
  return found;
})()`;
