import { mkdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findBarriers } from "@gantry/ui-kit/testing";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { body, composer, dialog, picker, row, write } from "./support/parts.ts";
import type { Screen, Stage } from "./support/stage.ts";

const pictures = fileURLToPath(
  new URL("../../../../artifacts/snippets/", import.meta.url),
);

export function tryLooks(given: () => Stage): void {
  describe("to look at", () => {
    test.each<[string, Screen]>([
      ["a desk, light", "desk"],
      ["a phone, dark", "phone"],
    ])("on %s axe finds nothing, and nothing sticks out", async (_, screen) => {
      mkdirSync(pictures, { recursive: true });
      const agentId = await given().createAgent(`Linus ${screen}`);
      const { page, leave } = await given().open("/snippets", screen);
      page.on("dialog", (asked) => void asked.accept());
      const go = (path: string) => page.goto(new URL(path, page.url()).href);
      const look = (name: string, within?: string) =>
        inspect(page, name, within);

      await row(page, "Zebra stripes").waitFor();
      await look("list", "main");

      await go("/snippets/new");
      await page.getByLabel("Title").fill("Zebra");
      await write(
        page,
        "Review the pull request {{url}} on {{branch}}.\n\nLook at {{focus=correctness}} first,\nand be {{ tone }}.\n",
      );
      await page
        .getByLabel("Allowed values of focus")
        .fill("correctness, security");
      await page.getByText("Line 4, column 10").waitFor();
      await page.getByText(/^Taken/).waitFor();
      await look("editor", "main");
      expect(await body(page).getAttribute("aria-invalid")).toBe("true");

      await go(`/agents/${agentId}`);
      await composer(page).click();
      await page.keyboard.type("Please /snip:");
      await picker(page).getByRole("option").nth(5).waitFor();
      await look("picker", "main");
      await page.keyboard.type("review-pull");
      await picker(page)
        .getByRole("option", { name: /Review/, selected: true })
        .waitFor();
      await page.keyboard.press("Enter");
      const fill = dialog(page, "Review a pull request");
      await fill.getByLabel("base").fill("release");
      await fill.getByRole("button", { name: "Send" }).click();
      await fill.getByText("Not sent.").waitFor();
      await look("fill", "[role=dialog]");
      await leave();
    });
  });
}

/** Keeps a picture of the page, and looks for what keeps people from using it. */
async function inspect(
  page: Page,
  name: string,
  within?: string,
): Promise<void> {
  const { width } = page.viewportSize() ?? { width: 0 };
  await page.screenshot({ path: `${pictures}${name}-${width}.png` });
  const scope = within === undefined ? {} : { within };
  expect(await findBarriers(page, scope), name).toEqual([]);
  expect(await page.evaluate(findOverflow), name).toEqual([]);
}

/** Names what reaches over the edge of the screen, or makes the document scroll behind the page. */
const findOverflow = `(() => {
  const found = [];
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) found.push("document " + scrollWidth);
  for (const element of document.querySelectorAll("[data-page-scroll] *, [role=dialog] *, [data-snippet-picker] *")) {
    const { right, width } = element.getBoundingClientRect();
    const mayReachOver = element.closest("pre, .truncate, .cm-editor");
    if (width > 0 && right > innerWidth + 1 && !mayReachOver)
      found.push(element.outerHTML.slice(0, 120));
  }
  return found;
})()`;
