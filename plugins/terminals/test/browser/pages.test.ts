import { chromiumPath } from "@gantry/plugin-testing/browser";
import type { ScreenName } from "@gantry/plugin-testing/browser";
import { findBarriers } from "@gantry/ui-kit/testing";
import type { Locator, Page } from "playwright-core";
import { keepPicture, thoroughUnless } from "@gantry/build/testing";
import {
  afterAll,
  beforeAll,
  beforeEach,
  describe,
  expect,
  test,
  vi,
} from "vitest";
import { startStage } from "./stage.ts";
import type { Stage } from "./stage.ts";

/** The lines that the page shows, which are in the page for those who have them read out. */
const linesOf = (page: Page) =>
  page.locator(".xterm-accessibility-tree").innerText();
const shows = (page: Page, text: string | RegExp) =>
  vi.waitFor(async () => expect(await linesOf(page)).toMatch(text), {
    interval: 50,
  });
const hasFocus = (place: Locator) =>
  expect
    .poll(() => place.evaluate((element) => element.matches(":focus")))
    .toBe(true);

describe.skipIf(chromiumPath === undefined)("the pages in a browser", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage();
  });
  afterAll(async () => {
    await stage?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    const { api } = stage.kernel;
    const { items } = (
      await api.get<{ items: { id: string }[] }>("/api/terminals")
    ).body;
    for (const { id } of items) await api.delete(`/api/terminals/${id}`);
  });

  /** Opens a page whose terminals are read out. */
  async function visit(path: string, screen: ScreenName = "desk") {
    const visitor = await stage.open("/terminals", screen);
    await visitor.page.evaluate(() =>
      localStorage.setItem("gantry.terminals.screen-reader", "1"),
    );
    await visitor.page.goto(new URL(path, visitor.page.url()).href);
    return visitor;
  }

  test("a shell is opened from the list, worked in, renamed and closed", async () => {
    const { page, faults } = await visit("/terminals");
    await page.getByRole("button", { name: "New terminal" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Folder").fill("/nowhere");
    await dialog.getByRole("button", { name: "Open" }).click();
    await dialog.getByText("is not a folder").waitFor();
    await dialog.getByLabel("Folder").fill(stage.folder);
    await dialog.getByLabel("Name").fill("build");
    await dialog.getByRole("button", { name: "Open" }).click();
    await page.getByRole("heading", { name: "build" }).waitFor();
    await shows(page, "ada@shop");
    await page.keyboard.type("echo $((6*7)) > /dev/null; stty size\n");
    // The size is the page's, not the one that it was opened with.
    await shows(page, /^(?!24 80)\d+ \d{3}$/m);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Rename" }).click();
    await hasFocus(page.getByLabel("Name"));
    await page.keyboard.type("release\n");
    await page.getByRole("heading", { name: "release" }).waitFor();
    await page.getByRole("button", { name: "More" }).press("Enter");
    await page.getByRole("menuitem", { name: "Find" }).press("Enter");
    await hasFocus(page.getByLabel("Find in the terminal"));
    await page.keyboard.press("Escape");
    await page.locator(".xterm-helper-textarea").focus();
    await page.keyboard.type("sleep 1000\n");
    await vi.waitFor(async () => {
      const { items } = (
        await stage.kernel.api.get<{ items: { prompt: string }[] }>(
          "/api/terminals",
        )
      ).body;
      expect(items[0]?.prompt).toBe("busy");
    });
    await page.getByRole("button", { name: "Close", exact: true }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: "Close terminal" })
      .click();
    await page.getByText("No terminals yet").waitFor();
    await page.close();
    // The folder that is not there, and the terminal that is not there any more.
    expect(faults.filter((fault) => !/40[04]/.test(fault))).toEqual([]);
  });

  test(
    "one page types at a time, and another takes over by a click",
    { tags: "thorough" },
    async () => {
      const id = await stage.openTerminal({ name: "shared" });
      const first = await visit(`/terminals/${id}`);
      await shows(first.page, "ada@shop");
      const second = await visit(`/terminals/${id}`);
      await second.page.getByText("Another page types here").waitFor();
      await second.page.keyboard.type("echo stray\n");
      await second.page.getByRole("button", { name: "Type here" }).click();
      await first.page.getByText("Another page types here").waitFor();
      await second.page.keyboard.type("echo m''ine\n");
      await shows(first.page, /^mine$/m);
      expect(await linesOf(first.page)).not.toContain("stray");
      // Shift and F6 lead out of the terminal, where Tab belongs to the program.
      await second.page.keyboard.press("Shift+F6");
      expect(
        await second.page.evaluate(() =>
          document.activeElement?.getAttribute("aria-label"),
        ),
      ).toBe("More");
      for (const { page, faults } of [first, second]) {
        await page.close();
        expect(faults).toEqual([]);
      }
    },
  );

  test(
    "a connection that was cut is made again by itself, and the screen is there",
    { tags: "thorough" },
    async () => {
      const id = await stage.openTerminal({ name: "lasting" });
      const { page } = await visit("/terminals");
      const cuts: (() => Promise<void>)[] = [];
      await page.routeWebSocket(/\/attach$/, (socket) => {
        socket.connectToServer();
        cuts.push(() => socket.close({ code: 1001 }));
      });
      await page.goto(new URL(`/terminals/${id}`, page.url()).href);
      await shows(page, "ada@shop");
      await page.keyboard.type("kept=yes\n");
      await shows(page, "kept=yes");
      await cuts[0]!();
      await vi.waitFor(() => expect(cuts).toHaveLength(2));
      // What is typed before there is a connection is lost, and the page says so.
      await page
        .getByText("The connection was lost")
        .waitFor({ state: "hidden" });
      await page.keyboard.type("echo still $kept\n");
      await shows(page, /^still yes$/m);
      await page.close();
    },
  );

  test(
    "what was chosen is copied, what was copied is pasted, and nothing else reads the clipboard",
    { tags: "thorough" },
    async () => {
      const id = await stage.openTerminal({ name: "clipboard" });
      const { page, faults } = await visit(`/terminals/${id}`);
      await shows(page, "ada@shop");
      await page.evaluate(() => navigator.clipboard.writeText("echo pas''ted"));
      await page.keyboard.press("Control+Shift+V");
      await shows(page, "echo pas''ted");
      await page.keyboard.press("Enter");
      await shows(page, /^pasted$/m);
      await page.keyboard.type(
        "printf '\\033]52;c;ZXZpbA==\\007'; echo do''ne\n",
      );
      await shows(page, /done$/m);
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
        "echo pas''ted",
      );
      await page.keyboard.press("Control+Shift+F");
      await page.getByLabel("Find in the terminal").fill("pasted");
      await page.getByText(/^\d+ of \d+$/).waitFor();
      await page.keyboard.press("Escape");
      await page.close();
      expect(faults).toEqual([]);
    },
  );

  for (const [where, screen] of [
    ["a desk, light", "desk"],
    ["a phone, dark", "phone"],
  ] satisfies [string, ScreenName][])
    test(
      `on ${where} axe finds nothing, and nothing sticks out`,
      { tags: thoroughUnless(screen === "desk") },
      async () => {
        const id = await stage.openTerminal({ name: `looks ${screen}` });
        const ended = await stage.openTerminal({
          name: "Release notes of the whole year",
          kind: "cli",
          command: "exit 3",
        });
        const { page, faults } = await visit(`/terminals/${id}`, screen);
        await shows(page, "ada@shop");
        await page.keyboard.type(
          "for c in 1 2 3 4 5 6 7; do printf '\\033[3%sm colour %s \\033[9%sm bright \\033[0m\\n' $c $c $c; done\n",
        );
        await shows(page, "colour 7");
        if (screen === "phone") {
          await page.getByRole("button", { name: "Ctrl", exact: true }).click();
          await page.getByRole("button", { name: "Ctrl L" }).click();
          await page.getByRole("button", { name: "Up" }).click();
          await shows(page, "for c in");
          await page.keyboard.press("Enter");
          await shows(page, "colour 7");
        }
        const { width } = page.viewportSize()!;
        const inspect = async (name: string) => {
          await keepPicture(page, `terminals/${name}-${width}`);
          expect(await findBarriers(page, { within: "main" }), name).toEqual(
            [],
          );
          expect(
            await page.evaluate(
              () => document.documentElement.scrollWidth - innerWidth,
            ),
          ).toBeLessThanOrEqual(0);
        };
        await inspect("terminal");
        await page.goto(new URL(`/terminals/${ended}`, page.url()).href);
        await page.getByText("The program has ended with 3.").waitFor();
        await inspect("ended");
        await page.goto(new URL("/terminals", page.url()).href);
        await page.getByText(`looks ${screen}`).waitFor();
        await inspect("list");
        await page.keyboard.press("n");
        await page.getByRole("dialog").getByLabel("Name").waitFor();
        await keepPicture(page, `terminals/new-${width}`);
        await page.close();
        expect(faults).toEqual([]);
      },
    );
});
