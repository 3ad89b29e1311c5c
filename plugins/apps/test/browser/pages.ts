import { describe, expect, test } from "vitest";
import { refuse } from "./support/demo.ts";
import type { Stage } from "./support/stage.ts";

export function tryPages(given: () => Stage): void {
  describe("a page of an app", () => {
    test(
      "has an address: links, tabs, back and forward lead through it",
      { tags: "thorough" },
      async () => {
        const { page, leave } = await given().open("/apps/demo?path=gallery");
        const heading = (name: string) =>
          page.getByRole("heading", { name, level: 1 }).waitFor();
        await heading("Gallery");
        const tabs = page.getByRole("navigation", { name: "Pages of Gallery" });
        expect(
          await tabs
            .getByRole("link", { name: "Overview" })
            .getAttribute("aria-current"),
        ).toBe("page");
        await tabs.getByRole("link", { name: "Rows" }).click();
        await heading("Rows");
        expect(new URL(page.url()).searchParams.get("path")).toBe(
          "gallery/rows",
        );
        await page.getByRole("link", { name: "Back to Gallery" }).click();
        await heading("Gallery");
        await page.goBack();
        await heading("Rows");
        await page.goForward();
        await heading("Gallery");
        expect(
          await page
            .getByRole("link", { name: /docs\.docker\.com/ })
            .evaluate((link) => [
              link.getAttribute("target"),
              link.getAttribute("rel"),
            ]),
        ).toEqual(["_blank", "noopener noreferrer"]);
        await leave();
      },
    );

    test(
      "a tab of a block is in the address, and what was typed in another one stays",
      { tags: "thorough" },
      async () => {
        const { page, leave } = await given().open(
          "/apps/demo?path=gallery/form",
        );
        await page.getByRole("textbox", { name: "Notes" }).fill("Remember me");
        await page.getByRole("tab", { name: "Settings" }).focus();
        await page.keyboard.press("ArrowRight");
        await page.getByRole("log").waitFor();
        await expect
          .poll(() => new URL(page.url()).searchParams.get("tabs.tab"))
          .toBe("log");
        await page.keyboard.press("Home");
        expect(
          await page.getByRole("textbox", { name: "Notes" }).inputValue(),
        ).toBe("Remember me");
        await page.getByRole("tab", { name: "Log" }).click();
        await page.reload();
        await page.getByRole("log").waitFor();
        await leave();
      },
    );

    test(
      "an app that is not there, and a page that it does not have, say so with a way back",
      { tags: "thorough" },
      async () => {
        const { demo } = given();
        demo.show("", () => ({ title: "First page", blocks: [] }));
        const { page, leave, faults } = await given().open("/apps/nobody");
        await page.getByText("There is no such app").waitFor();
        await page.getByRole("link", { name: "All apps" }).click();
        await page.getByRole("heading", { name: "Apps", level: 1 }).waitFor();
        demo.show("lost", () => {
          throw refuse("There is no page lost.");
        });
        await page.goto(new URL("/apps/demo?path=lost", page.url()).href);
        await page.getByText("Demo could not be shown").waitFor();
        await page.getByText(/There is no page lost\./).waitFor();
        demo.show("lost", () => ({ title: "Found", blocks: [] }));
        await page.getByRole("button", { name: "Try again" }).click();
        await page.getByRole("heading", { name: "Found", level: 1 }).waitFor();
        expect(faults.filter((fault) => !/40[49]/.test(fault))).toEqual([]);
        faults.length = 0;
        await leave();
      },
    );

    test(
      "an app that fails is named, with its plugin and the ways out",
      { tags: "thorough" },
      async () => {
        given().kernel.expectFault(/App failed/);
        const { page, leave, faults } = await given().open("/apps/broken-app");
        await page.getByText("Broken could not be shown").waitFor();
        await page.getByText("Its plugin demo is active.").waitFor();
        for (const name of ["Plugins", "Logs", "All apps"])
          await page.getByRole("main").getByRole("link", { name }).waitFor();
        expect(faults.filter((fault) => !fault.includes("502"))).toEqual([]);
        faults.length = 0;
        await leave();
      },
    );

    test(
      "an action is busy until it is done; then a toast, another view, or another page",
      { tags: "thorough" },
      async () => {
        const { demo } = given();
        let count = 0;
        let release: (() => void) | undefined;
        demo.show("act", () => ({
          title: `Asked ${count} times`,
          actions: [
            { label: "Count", action: "count", args: { by: 2 } },
            { label: "Replace", action: "replace" },
            { label: "Go", action: "go" },
          ],
          blocks: [],
        }));
        demo.show("there", () => ({ title: "There", blocks: [] }));
        demo.on("count", async ({ args }) => {
          await new Promise<void>((resolve) => (release = resolve));
          count += args["by"] as number;
          return { toast: { text: "Counted", tone: "attention" } };
        });
        demo.on("replace", () => ({
          view: {
            title: "Replaced",
            actions: [{ label: "Go", action: "go" }],
            blocks: [],
          },
        }));
        demo.on("go", () => ({ path: "there" }));
        const { page, leave } = await given().open("/apps/demo?path=act");
        const button = page.getByRole("button", { name: "Count" });
        const before = demo.acted.length;
        await button.click();
        await expect.poll(() => demo.acted.length).toBe(before + 1);
        await expect.poll(() => button.isDisabled()).toBe(true);
        release?.();
        await page.getByText("Counted", { exact: true }).waitFor();
        await page
          .getByRole("heading", { name: "Asked 2 times", level: 1 })
          .waitFor();
        await expect.poll(() => button.isEnabled()).toBe(true);
        await page.getByRole("button", { name: "Replace" }).click();
        await page
          .getByRole("heading", { name: "Replaced", level: 1 })
          .waitFor();
        await page.getByRole("button", { name: "Go" }).click();
        await page.getByRole("heading", { name: "There", level: 1 }).waitFor();
        expect(new URL(page.url()).searchParams.get("path")).toBe("there");
        await leave();
      },
    );

    test(
      "an icon that is not embedded is fetched when it is shown",
      { tags: "thorough" },
      async () => {
        given().demo.show("icons", () => ({
          title: "Icons",
          actions: [{ label: "Sail", icon: "i-lucide-sailboat", path: "" }],
          blocks: [],
        }));
        const { page, leave, asked } = await given().open(
          "/apps/demo?path=icons",
        );
        await page
          .getByRole("link", { name: "Sail" })
          .locator("svg path")
          .first()
          .waitFor();
        expect(asked.some((path) => path.includes("pickIcon"))).toBe(true);
        await leave();
      },
    );
  });
}
