import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { Stage } from "./support/stage.ts";

const names = (page: Page) =>
  page
    .getByRole("list", { name: "Apps" })
    .getByRole("heading", { level: 2 })
    .allTextContents();
const tile = (page: Page, name: string) =>
  page
    .getByRole("list", { name: "Apps" })
    .getByRole("listitem")
    .filter({ has: page.getByRole("heading", { name, exact: true }) });

export function tryGrid(given: () => Stage): void {
  const order = async () =>
    (await given().kernel.api.get<{ ids: string[] }>("/api/apps/order")).body
      .ids;
  const setOrder = async (...first: string[]) => {
    const rest = (await order()).filter((id) => !first.includes(id));
    await given().kernel.api.put("/api/apps/order", {
      ids: [...first, ...rest],
    });
  };

  describe("the list of apps", () => {
    test(
      "a tile leads to its app, and its badge is read out in words",
      { tags: "thorough" },
      async () => {
        await given().setBadge({
          text: "7",
          tone: "failed",
          label: "7 failed",
        });
        given().demo.show("", () => ({ title: "First page", blocks: [] }));
        const { page, leave } = await given().open("/");
        await page.getByText("Connected").waitFor();
        // One within a second after the other, which a busy machine may take several tries for.
        await expect
          .poll(async () => {
            await page.keyboard.press("g");
            await page.keyboard.press("p");
            return new URL(page.url()).pathname;
          })
          .toBe("/apps");
        await tile(page, "Demo")
          .getByText("7 failed")
          .waitFor({ state: "attached" });
        await tile(page, "Demo").getByRole("link").click();
        await page
          .getByRole("heading", { name: "First page", level: 1 })
          .waitFor();
        expect(new URL(page.url()).pathname).toBe("/apps/demo");
        await page.getByRole("link", { name: "Back to the apps" }).click();
        await tile(page, "Demo").waitFor();
        await leave();
      },
    );

    test(
      "keys change the order, which is told and saved",
      { tags: "thorough" },
      async () => {
        await setOrder("demo", "broken-app");
        const { page, leave } = await given().open("/apps");
        await page.getByRole("button", { name: "Change order" }).click();
        await page.getByRole("button", { name: "Move Demo later" }).focus();
        await page.keyboard.press("ArrowRight");
        await page.getByText(/^Demo: position 2 of \d+$/).waitFor();
        expect((await names(page)).slice(0, 2)).toEqual(["Broken", "Demo"]);
        // The focus is still on the same tile.
        await page.keyboard.press("End");
        await expect.poll(async () => (await names(page)).at(-1)).toBe("Demo");
        await page.keyboard.press("Home");
        await page.keyboard.press("ArrowRight");
        await expect
          .poll(async () => (await order()).slice(0, 2))
          .toEqual(["broken-app", "demo"]);
        await page.getByRole("button", { name: "Done" }).click();
        await page.reload();
        await tile(page, "Demo").waitFor();
        expect((await names(page)).slice(0, 2)).toEqual(["Broken", "Demo"]);
        await leave();
      },
    );

    test(
      "a tile is dragged with the mouse to where it is dropped",
      { tags: "thorough" },
      async () => {
        await setOrder("demo", "broken-app");
        const { page, leave } = await given().open("/apps");
        await page.getByRole("button", { name: "Change order" }).click();
        const from = (await tile(page, "Demo").boundingBox())!;
        const to = (await tile(page, "Broken").boundingBox())!;
        await page.mouse.move(from.x + 60, from.y + 60);
        await page.mouse.down();
        await page.mouse.move(to.x + 40, to.y + 40, { steps: 6 });
        await expect
          .poll(async () => (await names(page)).slice(0, 2))
          .toEqual(["Broken", "Demo"]);
        await page.mouse.up();
        await expect
          .poll(async () => (await order()).slice(0, 2))
          .toEqual(["broken-app", "demo"]);
        // A press that moves nothing saves nothing and opens no page.
        await tile(page, "Demo").click({ position: { x: 60, y: 60 } });
        expect(new URL(page.url()).pathname).toBe("/apps");
        await leave();
      },
    );

    test("a finger drags by the handle", { tags: "thorough" }, async () => {
      await setOrder("demo", "broken-app");
      const { page, leave } = await given().open("/apps", "phone");
      await page.getByRole("button", { name: "Change order" }).click();
      const handle = (await tile(page, "Demo")
        .locator("[data-handle]")
        .boundingBox())!;
      const to = (await tile(page, "Broken").boundingBox())!;
      const devTools = await page.context().newCDPSession(page);
      const touch = (
        type: "touchStart" | "touchMove" | "touchEnd",
        x: number,
        y: number,
      ) =>
        devTools.send("Input.dispatchTouchEvent", {
          type,
          touchPoints: type === "touchEnd" ? [] : [{ x, y }],
        });
      const x = handle.x + 10;
      await touch("touchStart", x, handle.y + 10);
      for (let step = 1; step <= 5; step += 1)
        await touch(
          "touchMove",
          x,
          handle.y + 10 + ((to.y + 50 - handle.y) * step) / 5,
        );
      await touch("touchEnd", 0, 0);
      await expect
        .poll(async () => (await order()).slice(0, 2))
        .toEqual(["broken-app", "demo"]);
      await leave();
    });

    test(
      "an order that cannot be saved is taken back, and can be tried again",
      { tags: "thorough" },
      async () => {
        await setOrder("demo", "broken-app");
        const { page, leave, faults } = await given().open("/apps");
        let isRefused = true;
        await page.route("**/api/apps/order", (route) =>
          isRefused
            ? route.fulfill({
                status: 507,
                contentType: "application/problem+json",
                json: { code: "STORAGE_FULL", detail: "The disk is full." },
              })
            : route.continue(),
        );
        await page.getByRole("button", { name: "Change order" }).click();
        await page.getByRole("button", { name: "Move Demo later" }).click();
        await page.getByText("The order was not saved").waitFor();
        await page.getByText("The disk is full.").waitFor();
        expect((await names(page)).slice(0, 2)).toEqual(["Demo", "Broken"]);
        isRefused = false;
        await page.getByRole("button", { name: "Try again" }).click();
        await expect
          .poll(async () => (await order()).slice(0, 2))
          .toEqual(["broken-app", "demo"]);
        expect(faults.filter((fault) => !fault.includes("507"))).toEqual([]);
        faults.length = 0;
        await leave();
      },
    );

    test(
      "no apps, and a list that cannot be loaded, say so",
      { tags: "thorough" },
      async () => {
        const { page, leave, faults } = await given().open("/settings");
        let status = 500;
        await page.route("**/api/apps", (route) =>
          status === 500
            ? route.fulfill({
                status,
                contentType: "application/problem+json",
                json: { code: "INTERNAL", detail: "Something broke." },
              })
            : route.fulfill({ json: { apiVersion: 1, items: [] } }),
        );
        await page.getByRole("link", { name: "Apps" }).click();
        await page.getByText("The apps could not be loaded").waitFor();
        status = 200;
        await page.getByRole("button", { name: "Try again" }).click();
        await page.getByText("No apps yet").waitFor();
        faults.length = 0;
        await leave();
      },
    );

    test(
      "the palette finds apps, and the actions of one that is named",
      { tags: "thorough" },
      async () => {
        const { demo } = given();
        demo.show("", () => ({
          title: "First page",
          actions: [
            { label: "Water plants", action: "water", confirm: "All of them." },
          ],
          blocks: [
            {
              type: "actions",
              buttons: [{ label: "Open cellar", path: "cellar" }],
            },
          ],
        }));
        demo.show("cellar", () => ({ title: "Cellar", blocks: [] }));
        demo.on("water", () => ({ toast: { text: "Plants are watered" } }));
        const { page, leave } = await given().open("/settings");
        await page.getByText("Connected").waitFor();
        const find = async (words: string, ...names: (string | RegExp)[]) => {
          await page.keyboard.press("ControlOrMeta+k");
          const field = page
            .getByRole("dialog")
            .getByRole("combobox")
            .or(page.getByRole("dialog").getByRole("textbox"))
            .first();
          const options = names.map((name) =>
            page.getByRole("option", { name }),
          );
          await field.waitFor();
          await page.keyboard.insertText(words);
          // What comes too late for one letter is found by the next one.
          await expect
            .poll(
              async () => {
                const counts = await Promise.all(
                  options.map((option) => option.count()),
                );
                if (!counts.includes(0)) return true;
                await field.fill(words.slice(0, -1));
                await field.fill(words);
                return false;
              },
              { interval: 600 },
            )
            .toBe(true);
          return options.at(-1)!;
        };
        const cellar = await find("demo", /Every block/, "Demo: Open cellar");
        await cellar.click();
        await page.getByRole("heading", { name: "Cellar", level: 1 }).waitFor();
        // Its page is known now, so that the action alone is enough.
        const water = await find("water pl", "Demo: Water plants");
        await water.click();
        const question = page.getByRole("dialog", { name: "Water plants?" });
        await question.getByText("All of them.").waitFor();
        await question.getByRole("button", { name: "Water plants" }).click();
        await page.getByText("Plants are watered").waitFor();
        expect(demo.acted.at(-1)).toMatchObject({ action: "water", path: "" });
        await leave();
      },
    );
  });
}
