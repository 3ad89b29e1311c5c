import { extendUndo } from "@gantry/plugin-testing/browser";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { Snippet } from "../../src/contract.ts";
import { body, pathOf, row } from "./support/parts.ts";
import type { Stage } from "./support/stage.ts";

export function tryList(given: () => Stage): void {
  describe("the list", () => {
    test(
      "offers the six starters and an import while it is empty",
      { tags: "thorough" },
      async () => {
        const { page, leave } = await given().open("/snippets");
        await page.getByText("No snippets yet").waitFor();
        await page
          .getByRole("button", { name: "Import a prompt" })
          .first()
          .waitFor();
        await expect
          .poll(() => page.getByRole("heading", { level: 3 }).allTextContents())
          .toHaveLength(6);
        await page.getByRole("button", { name: "Add all 6" }).click();
        await row(page, "Standup update").waitFor();
        await expect.poll(() => row(page, "").count()).toBe(6);
        const { body: all } = await given().kernel.api.get<{
          items: Snippet[];
        }>("/api/snips?q=review-pull-request");
        expect(
          all.items[0]?.placeholders.find(({ name }) => name === "focus")?.enum,
        ).toContain("security");
        await leave();
      },
    );

    test(
      "is searched as one types, and narrowed by kind and tag, in its address",
      { tags: "thorough" },
      async () => {
        await createTwo(given());
        const { page, leave } = await given().open("/snippets");
        await row(page, "Wipe the cache").waitFor();
        await page.keyboard.press("/");
        await page.keyboard.type(".cache");
        await expect.poll(() => row(page, "").count()).toBe(1);
        await page.waitForURL(/q=\.cache/);
        await page.keyboard.type("x");
        await page.getByText("No snippet is like that").waitFor();
        await page.getByRole("button", { name: "Show all" }).click();
        await row(page, "Standup update").waitFor();

        await page
          .getByRole("button", { name: "Commands", exact: true })
          .click();
        await expect.poll(() => row(page, "").count()).toBe(1);
        await page.getByRole("button", { name: "All", exact: true }).click();
        await page.getByRole("combobox", { name: "Tag" }).selectOption("cache");
        await expect.poll(() => row(page, "").count()).toBe(1);
        // Back from a snippet, the list is as it was.
        await row(page, "Wipe").getByRole("link").click();
        await body(page).waitFor();
        await page.goBack();
        await expect.poll(() => row(page, "").count()).toBe(1);
        expect(page.url()).toContain("tag=cache");
        await leave();
      },
    );

    test(
      "goes by keys: down, edit, duplicate, delete and take back, new",
      { tags: "thorough" },
      async () => {
        const { kernel } = given();
        await createTwo(given());
        const { page, leave } = await given().open("/snippets");
        await row(page, "Wipe the cache").waitFor();
        const focused = () =>
          page.evaluate(
            "document.activeElement?.textContent",
          ) as Promise<string>;
        await page.keyboard.press("ArrowDown");
        await expect.poll(focused).toBe("Wipe the cache");
        await page.keyboard.press("ArrowDown");
        const second = await focused();
        await page.keyboard.press("ArrowUp");

        await extendUndo(page);
        await page.keyboard.press("#");
        await row(page, "Wipe the cache").waitFor({ state: "detached" });
        // The next row gets the focus.
        await expect.poll(focused).toBe(second);
        await page.keyboard.press("z");
        await row(page, "Wipe the cache").waitFor();

        await row(page, "Wipe the cache").getByRole("link").focus();
        await page.keyboard.press("d");
        await body(page).waitFor();
        await expect.poll(() => pathOf(page)).toMatch(/^\/snippets\/snp_/);
        const id = pathOf(page).split("/").at(-1) ?? "";
        const copy = await kernel.api.get<Snippet>(`/api/snips/${id}`);
        expect(copy.body).toMatchObject({
          kind: "command",
          tags: ["cache"],
          body: "rm -rf .cache",
        });
        await page.getByRole("button", { name: "Delete" }).click();
        await page
          .getByRole("dialog")
          .getByRole("button", { name: "Delete" })
          .click();
        await page.waitForURL(/snippets$/);
        expect((await kernel.api.get(`/api/snips/${id}`)).status).toBe(404);

        await row(page, "Wipe the cache").getByRole("link").focus();
        await page.keyboard.press("e");
        await body(page).waitFor();
        await page.getByRole("link", { name: "Back to the snippets" }).click();
        await row(page, "Wipe the cache").waitFor();
        await page.keyboard.press("n");
        await page.getByRole("heading", { name: "New snippet" }).waitFor();
        await leave();
      },
    );

    test(
      "what is deleted is gone once the page is left",
      { tags: "thorough" },
      async () => {
        const { kernel, create } = given();
        const { id } = await create({ title: "Soon gone", body: "x" });
        const { page, leave } = await given().open("/snippets");
        await extendUndo(page);
        await row(page, "Soon gone")
          .getByRole("button", { name: "Delete Soon gone" })
          .click();
        await row(page, "Soon gone").waitFor({ state: "detached" });
        expect((await kernel.api.get(`/api/snips/${id}`)).status).toBe(200);
        await page.getByRole("link", { name: "Home" }).first().click();
        await expect
          .poll(async () => (await kernel.api.get(`/api/snips/${id}`)).status)
          .toBe(404);
        await leave();
      },
    );

    test(
      "10,000 snippets are scrolled through with a few rows drawn",
      { tags: "thorough" },
      async () => {
        await createTwo(given());
        const short = await openList(given(), 200);
        const usual = await scrollFast(short.page);
        await short.leave();
        const count = 10_000;
        const { page, leave } = await openList(given(), count);
        const long = await scrollFast(page);
        expect(long.most).toBeLessThan(60);
        // A frame that has to do with all of them would take fifty times as long.
        expect(long.frameMs / usual.frameMs).toBeLessThan(8);
        // To the end, as with the bar beside it, while what is missing comes in.
        const last = row(page, `Snippet ${count - 1}`);
        await expect
          .poll(async () => {
            await page.evaluate(
              'document.querySelector("[data-page-scroll]").scrollTop = 1e9',
            );
            return last.count();
          })
          .toBe(1);
        await leave();
      },
    );
  });
}

/** Adds a prompt and, as the newest, a command. */
async function createTwo({ create }: Stage): Promise<void> {
  await create({ title: "Standup update", body: "What did you do?" });
  await create({
    title: "Wipe the cache",
    kind: "command",
    tags: ["cache"],
    body: "rm -rf .cache",
  });
}

/** Opens a list of `count` snippets, as the daemon would answer: 500 at a time, each with a cursor. */
async function openList({ kernel, open }: Stage, count: number) {
  const { body } = await kernel.api.get<{ items: Snippet[] }>(
    "/api/snips?limit=1",
  );
  const [sample] = body.items;
  const { page, leave } = await open("/");
  const link = page.getByRole("link", { name: "Snippets" }).first();
  // A page that is being loaded may not be listened in on yet.
  await link.waitFor();
  await page.route(
    (url) => url.pathname === "/api/snips",
    async (route) => {
      const url = new URL(route.request().url());
      const from = Number(url.searchParams.get("cursor") ?? "0");
      const next = Math.min(
        from + Number(url.searchParams.get("limit")),
        count,
      );
      const items = Array.from({ length: next - from }, (_, index) => ({
        ...sample,
        id: `snp_${from + index}`,
        title: `Snippet ${from + index}`,
      }));
      const nextCursor = next < count ? String(next) : null;
      await route.fulfill({ json: { items, nextCursor } });
    },
  );
  await link.click();
  await row(page, "Snippet 0").first().waitFor();
  return { page, leave };
}

/**
 * Scrolls as with a fast wheel, a few rows at each frame.
 *
 * @returns the most rows that were there at a time, and what frames take of which a busy machine does not interrupt the drawing
 */
async function scrollFast(
  page: Page,
): Promise<{ most: number; frameMs: number }> {
  return (await page.evaluate(`(async () => {
    const box = document.querySelector("[data-page-scroll]");
    const frames = [];
    let most = 0, last = performance.now();
    for (let step = 0; step < 40; step += 1) {
      box.scrollTop += 240;
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      frames.push(now - last);
      last = now;
      most = Math.max(most, document.querySelectorAll("[data-snippet-link]").length);
    }
    return { most, frameMs: frames.toSorted((a, b) => a - b)[10] };
  })()`)) as { most: number; frameMs: number };
}
