import type { ScreenName } from "@gantry/plugin-testing/browser";
import { findBarriers } from "@gantry/ui-kit/testing";
import type { Page } from "playwright-core";
import { keepPicture, thoroughUnless } from "@gantry/build/testing";
import { describe, expect, test } from "vitest";
import { body, composer, dialog, picker, row, write } from "./support/parts.ts";
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
          await arrange(given());
          const agentId = await given().createAgent(
            screen === "desk" ? "Shop" : "Pocket shop",
            "round-invoices",
          );
          const { page, leave } = await given().open("/snippets", screen);
          page.on("dialog", (asked) => void asked.accept());
          const go = (path: string) =>
            page.goto(new URL(path, page.url()).href);
          const look = (name: string, within?: string) =>
            inspect(page, name, within);

          await row(page, "Review a pull request").waitFor();
          await look("list", "main");

          await page.getByRole("link", { name: "New snippet" }).click();
          await page.getByLabel("Title").fill("Review pull request");
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
          await fill.getByLabel("focus").selectOption("security");
          await fill.getByText("round-invoices").first().waitFor();
          await look("fill", "[role=dialog]");
          await leave();
        },
      );
  });
}

/** Adds snippets as a user might have them. */
async function arrange({ kernel, create }: Stage): Promise<void> {
  for (const fields of [
    {
      kind: "command",
      title: "Clean what was built",
      description: "Leaves the sources and the settings alone.",
      tags: ["build"],
      body: "rm -rf {{folder=dist}} && pnpm build",
    },
    {
      kind: "command",
      title: "Follow the log of a service",
      tags: ["ops", "daily"],
      body: "journalctl --user --follow --unit {{service}} --lines {{lines=100}}",
    },
    {
      title: "Answer a customer",
      description: "Short, honest, without a promise.",
      tags: ["support", "writing"],
      body: "Write a reply to {{customer}} about {{topic}}. Be {{tone=warm}}.",
      placeholders: [{ name: "tone", enum: ["warm", "matter-of-fact"] }],
    },
    {
      title: "Name things better",
      tags: ["review"],
      body: "Propose better names in {{path}}. Change nothing yet.",
    },
  ])
    await create(fields);
  const starters = await kernel.api.get<{
    items: (object & { placeholders: { enum: string[] | null }[] })[];
  }>("/api/snips/starters");
  for (const { placeholders, ...starter } of starters.body.items.toReversed())
    await create({
      ...starter,
      placeholders: placeholders.filter((one) => one.enum),
    });
}

/** Keeps a picture of the page, and looks for what keeps people from using it. */
async function inspect(
  page: Page,
  name: string,
  within?: string,
): Promise<void> {
  const { width } = page.viewportSize() ?? { width: 0 };
  await keepPicture(page, `snippets/${name}-${width}`);
  const scope = within === undefined ? {} : { within };
  expect(await findBarriers(page, scope), name).toEqual([]);
  expect(await page.evaluate(findOverflow), name).toEqual([]);
}

/** Names what reaches over the edge of the screen, or makes the document scroll behind the page. */
const findOverflow = `(() => {
  const found = [];
  const { scrollWidth } = document.documentElement;
  if (scrollWidth > innerWidth) found.push("document " + scrollWidth);
  for (const element of document.querySelectorAll("[data-page-scroll] *, [role=dialog] *, [data-composer-options] *")) {
    const { right, width } = element.getBoundingClientRect();
    const mayReachOver = element.closest("pre, .truncate, .cm-editor");
    if (width > 0 && right > innerWidth + 1 && !mayReachOver)
      found.push(element.outerHTML.slice(0, 120));
  }
  return found;
})()`;
