import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { AppBlock } from "../../src/contract.ts";
import { refuse } from "./support/demo.ts";
import type { Stage } from "./support/stage.ts";

const lines = (from: number, to: number): AppBlock => ({
  type: "log",
  lines: Array.from({ length: to - from }, (_, index) => ({
    text: `line ${from + index}`,
  })),
});

const logBox = (page: Page) => page.getByRole("log");
const isAtEnd = (page: Page) =>
  logBox(page).evaluate(
    (box) => box.scrollHeight - box.scrollTop - box.clientHeight < 16,
  );

export function tryLive(given: () => Stage): void {
  describe("a live page", () => {
    test(
      "loads again by itself without taking anything from the reader's hands",
      { tags: "thorough" },
      async () => {
        const { demo } = given();
        demo.on("wipe", () => ({ toast: { text: "Wiped" } }));
        demo.show("live", (asked) => ({
          title: "Live",
          refreshMs: 1000,
          blocks: [
            { type: "markdown", text: `Asked ${asked + 1} times` },
            {
              type: "table",
              // Numbers in titles change.
              title: `${asked} programs`,
              columns: [
                { key: "name", label: "Name" },
                { key: "load", label: "Load" },
              ],
              selection: [{ label: "Stop all", action: "stop" }],
              rows: Array.from({ length: 40 }, (_, index) => ({
                id: `p${index}`,
                path: `p/${index}`,
                cells: { name: `program ${index}`, load: (index * asked) % 7 },
              })).sort((one, other) => other.cells.load - one.cells.load),
            },
            {
              type: "form",
              action: "save",
              fields: [{ type: "text", name: "note", label: "Note" }],
            },
            {
              type: "actions",
              buttons: [
                { label: "Wipe", action: "wipe", confirm: "All is wiped." },
              ],
            },
          ],
        }));
        const { page, leave } = await given().open("/apps/demo?path=live");
        const next = async () => {
          const before = demo.asked("live");
          const shown = page.getByText(/^Asked \d+ times$/);
          // Several loads later, if the machine is busy.
          await expect
            .poll(async () => Number(/\d+/.exec(await shown.innerText())?.[0]))
            .toBeGreaterThan(before);
        };
        await page.getByRole("textbox", { name: "Note" }).fill("half a sen");
        await page
          .getByRole("checkbox", { name: "Select program 3", exact: true })
          .check();
        const box = page.locator(".overflow-auto").first();
        await box.evaluate((element) => (element.scrollTop = 300));
        const link = page.getByRole("link", { name: "program 7", exact: true });
        await link.evaluate((element) =>
          element.focus({ preventScroll: true }),
        );
        await next();
        await next();
        expect(
          await link.evaluate((element) => element.matches(":focus")),
        ).toBe(true);
        expect(await box.evaluate((element) => element.scrollTop)).toBe(300);
        expect(
          await page.getByRole("textbox", { name: "Note" }).inputValue(),
        ).toBe("half a sen");
        await page.getByText("1 selected").waitFor();
        await page.getByRole("button", { name: "Wipe" }).click();
        const question = page.getByRole("dialog", { name: "Wipe?" });
        await question.waitFor();
        await next();
        await question.getByRole("button", { name: "Wipe" }).click();
        await page.getByText("Wiped", { exact: true }).waitFor();
        await leave();
      },
    );

    test(
      "keeps what it shows when a refresh fails, says so quietly, and recovers",
      { tags: "thorough" },
      async () => {
        const { demo } = given();
        let isBroken = false;
        demo.show("shaky", (asked) => {
          if (isBroken) throw refuse("The engine does not answer.");
          return {
            title: "Shaky",
            refreshMs: 1000,
            blocks: [{ type: "markdown", text: `Asked ${asked + 1} times` }],
          };
        });
        const { page, leave, faults } = await given().open(
          "/apps/demo?path=shaky",
        );
        await page.getByText(/Asked \d+ times/).waitFor();
        isBroken = true;
        await page
          .getByText(/out of date: .*The engine does not answer/)
          .waitFor();
        await page.getByText(/Asked \d+ times/).waitFor();
        isBroken = false;
        await page.getByText(/out of date/).waitFor({ state: "detached" });
        expect(faults.filter((fault) => !fault.includes("409"))).toEqual([]);
        faults.length = 0;
        await leave();
      },
    );

    test(
      "loads again on the events that it names",
      { tags: "thorough" },
      async () => {
        const { demo } = given();
        demo.show("events", (asked) => ({
          title: "Events",
          refreshOn: ["demo.*"],
          blocks: [{ type: "markdown", text: `Asked ${asked + 1} times` }],
        }));
        const { page, leave } = await given().open("/apps/demo?path=events");
        await page.getByText("Asked 1 times").waitFor();
        await page.getByText("Connected").waitFor();
        await demo.emit();
        await page.getByText("Asked 2 times").waitFor();
        await leave();
      },
    );

    test(
      "a log follows its end, stays where the reader scrolls to, and jumps back",
      { tags: "thorough" },
      async () => {
        const { demo } = given();
        let end = 300;
        demo.show("tail", () => ({
          title: "Tail",
          refreshOn: ["demo.*"],
          // Old lines are left out, as a daemon's log does it.
          blocks: [lines(end - 300, end)],
        }));
        const grow = async () => {
          end += 5;
          await demo.emit();
        };
        const { page, leave } = await given().open("/apps/demo?path=tail");
        await page.getByText("line 299", { exact: true }).waitFor();
        await page.getByText("Connected").waitFor();
        await expect.poll(() => isAtEnd(page)).toBe(true);
        await grow();
        await page.getByText("line 304", { exact: true }).waitFor();
        await expect.poll(() => isAtEnd(page)).toBe(true);
        const jump = page.getByRole("button", { name: "Jump to newest" });
        expect(await jump.count()).toBe(0);
        await logBox(page).hover();
        await page.mouse.wheel(0, -1500);
        await jump.waitFor();
        await grow();
        await page
          .getByText("line 309", { exact: true })
          .waitFor({ state: "attached" });
        expect(await isAtEnd(page)).toBe(false);
        await jump.click();
        await expect.poll(() => isAtEnd(page)).toBe(true);
        await page
          .getByRole("searchbox", { name: "Search Log" })
          .fill("line 30");
        await page.getByText("13 of 300 lines").waitFor();
        await leave();
      },
    );
  });
}
