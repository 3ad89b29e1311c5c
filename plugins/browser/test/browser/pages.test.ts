import { chromiumPath } from "@gantry/plugin-testing/browser";
import type { ScreenName } from "@gantry/plugin-testing/browser";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { inspect } from "./support/inspect.ts";
import { toTab } from "./support/scripted-browser.ts";
import { startScriptedStage } from "./support/scripted-stage.ts";
import type { ScriptedStage } from "./support/scripted-stage.ts";

const agent = {
  id: "agt_aaaaaaaaaaaaaaaaaaaaaaaa",
  name: "Move the shop",
  state: "open",
} as const;
const visit = { id: "vis1", url: "http://localhost:5173/cart", title: "Cart" };

/** Waits until a picture of the page is drawn. */
const drawn = (page: Page) =>
  page
    .getByRole("img", { name: /Live picture/ })
    .and(page.locator(".bg-white"))
    .waitFor();

describe.skipIf(chromiumPath === undefined)(
  "the pages on a scripted browser",
  { timeout: 60_000 },
  () => {
    let stage: ScriptedStage;
    beforeAll(async () => {
      stage = await startScriptedStage();
    }, 60_000);
    afterAll(async () => {
      await stage?.[Symbol.asyncDispose]();
    });

    test("without a browser on the machine the page says how to install one", async () => {
      const { scripted, open } = stage;
      scripted.reset();
      scripted.script.status.found = false;
      scripted.script.status.hint = "To install one, run: apt install chromium";
      const { page, leave } = await open("/browser");
      await page.getByText("No browser is installed here").waitFor();
      await page.getByText("apt install chromium").waitFor();
      scripted.script.status.found = true;
      await page.getByRole("button", { name: "Look again" }).click();
      await page.getByRole("heading", { name: "Open a page" }).waitFor();
      await leave();
    });

    test("an address opens a tab, and words say that there is no search engine", async () => {
      const { scripted, open } = stage;
      scripted.reset();
      scripted.script.history = [visit];
      const { page, leave } = await open("/browser");
      const address = page.getByRole("combobox", { name: "Address" });
      await address.fill("how to centre a div");
      await address.press("Enter");
      await page.getByText("has no search engine").waitFor();
      await address.fill("localhost:5173");
      await page.getByRole("option", { name: "Cart" }).waitFor();
      await address.press("Enter");
      await drawn(page);
      expect(scripted.calls).toEqual([
        {
          path: "POST /api/browser/tabs",
          body: { url: "http://localhost:5173" },
        },
      ]);
      await leave();
    });

    test("mouse, keyboard and paste input reach the page, and Shift F6 leaves it", async () => {
      const { scripted, open } = stage;
      scripted.reset();
      scripted.script.tabs = [toTab({ id: "a" })];
      const { page, leave } = await open("/browser");
      await drawn(page);
      const box = (await page.locator("[data-picture]").boundingBox())!;
      await page.mouse.dblclick(box.x + 100, box.y + 50);
      await page.mouse.wheel(0, 120);
      await page.keyboard.type("hé");
      await page.keyboard.press("Control+a");
      await page.keyboard.press("Tab");
      await page.keyboard.insertText("語");
      await expect
        .poll(() => scripted.received)
        .toEqual(
          expect.arrayContaining([
            expect.objectContaining({ type: "size", touch: false }),
            expect.objectContaining({
              type: "mouse",
              kind: "down",
              x: 100,
              y: 50,
              clicks: 2,
            }),
            expect.objectContaining({
              type: "mouse",
              kind: "wheel",
              deltaY: 120,
            }),
            expect.objectContaining({
              type: "key",
              kind: "down",
              key: "h",
              text: "h",
            }),
            expect.objectContaining({
              type: "key",
              kind: "down",
              key: "a",
              modifiers: 2,
            }),
            expect.objectContaining({ type: "key", kind: "up", key: "Tab" }),
            { type: "text", text: "語" },
          ]),
        );
      await page.keyboard.press("Shift+F6");
      await expect
        .poll(() =>
          page.evaluate("document.activeElement.getAttribute('aria-label')"),
        )
        .toBe("Address");
      await leave();
    });

    test("dialogs, permissions and questions of agents are answered on cards", async () => {
      const { scripted, open } = stage;
      scripted.reset();
      scripted.script.tabs = [toTab({ id: "a" })];
      scripted.script.agents = [agent];
      scripted.script.questions = [
        {
          id: "q1",
          agentId: agent.id,
          kind: "site",
          site: "docs.example.com",
          detail: "https://docs.example.com/api",
        },
      ];
      const { page, leave } = await open("/browser");
      await drawn(page);
      scripted.send({
        type: "dialog",
        kind: "prompt",
        message: "Your name?",
        defaultText: "Ada",
      });
      await page.getByRole("textbox", { name: "Answer" }).fill("Grace");
      await page.keyboard.press("Enter");
      await expect
        .poll(() => page.evaluate("document.activeElement.tagName"))
        .toBe("TEXTAREA");
      scripted.send({
        type: "permission",
        id: "p1",
        origin: "http://localhost:5173",
        kind: "geolocation",
      });
      await page.getByRole("button", { name: "Allow", exact: true }).click();
      await expect
        .poll(() => scripted.received)
        .toEqual(
          expect.arrayContaining([
            { type: "dialog", accept: true, text: "Grace" },
            { type: "permission", id: "p1", answer: "allow" },
          ]),
        );
      await page
        .getByText("Move the shop wants to open docs.example.com")
        .waitFor();
      await page.getByRole("button", { name: "Allow once" }).click();
      await page
        .getByText("Move the shop wants to open docs.example.com")
        .waitFor({ state: "detached" });
      expect(scripted.calls).toEqual([
        { path: "POST /api/browser/questions/{id}", body: { answer: "once" } },
      ]);
      await leave();
    });

    test("annotations are picked, kept and sent to an agent together", async () => {
      const { scripted, open } = stage;
      scripted.reset();
      scripted.script.tabs = [toTab({ id: "a" })];
      scripted.script.agents = [agent];
      const { page, leave } = await open("/browser");
      await drawn(page);
      await page.getByRole("button", { name: "Annotate" }).click();
      const layer = page.getByRole("application");
      await layer.press("ArrowDown");
      const box = { x: 10, y: 20, width: 100, height: 40 };
      scripted.send({ type: "picked", box, selector: "h1", label: "h1" });
      await page.locator("[data-outline]").waitFor();
      for (const comment of ["Larger", "Bolder"]) {
        await layer.press("Enter");
        scripted.send({
          type: "annotation",
          draft: {
            url: "http://localhost:5173/",
            title: "Storefront",
            selector: "h1",
            text: "New for winter",
            html: "<h1>New for winter</h1>",
            styles: [],
            box,
            screenshot: null,
          },
        });
        await page.getByRole("textbox", { name: "Comment" }).fill(comment);
        await page.getByRole("button", { name: "Save annotation" }).click();
        await page.getByText(comment, { exact: true }).waitFor();
      }
      await page.getByRole("button", { name: "Send 2 annotations" }).click();
      await page.getByText("Sent to Move the shop").waitFor();
      expect(scripted.calls.at(-1)).toEqual({
        path: "POST /api/browser/annotations/send",
        body: { ids: ["ann1", "ann2"], agentId: agent.id },
      });
      await leave();
    });

    test("a failed page and an ended browser show what to do next", async () => {
      const { scripted, open } = stage;
      scripted.reset();
      scripted.script.tabs = [
        toTab({
          id: "a",
          error: "localhost refused the connection. Is the dev server running?",
        }),
      ];
      const { page, leave } = await open("/browser");
      await page.getByText("Is the dev server running?").waitFor();
      await page.getByRole("button", { name: "Try again" }).click();
      await expect
        .poll(() => scripted.received)
        .toContainEqual({ type: "reload" });
      scripted.script.tabs = [];
      scripted.send({ type: "gone", reason: "The browser has ended." });
      await page.getByText("The browser has ended.").waitFor();
      await page.getByRole("button", { name: "Open again" }).click();
      await drawn(page);
      await leave();
    });

    test.each<ScreenName>(["desk", "phone"])(
      "on a %s axe finds nothing and nothing sticks out, in light and dark",
      { timeout: 120_000 },
      async (screen) => {
        const { scripted, open } = stage;
        scripted.reset();
        scripted.script.agents = [agent];
        scripted.script.history = [
          visit,
          {
            ...visit,
            id: "vis2",
            url: "https://vuejs.org/guide",
            title: "Vue",
          },
        ];
        scripted.script.servers = [
          { port: 5173, url: "http://localhost:5173" },
        ];
        const { page, leave } = await open("/browser", screen);
        await page.getByText("Dev servers of your agents").waitFor();
        await inspect(page, "start");

        scripted.script.tabs = [
          toTab({ id: "a" }),
          toTab({
            id: "b",
            title: "Docs",
            url: "https://docs.example.com/",
            ownerAgentId: agent.id,
          }),
        ];
        await page.reload({ waitUntil: "domcontentloaded" });
        await drawn(page);
        scripted.send({ type: "driver", who: "agent", agentId: agent.id });
        scripted.send({
          type: "dialog",
          kind: "confirm",
          message: "Empty the cart?",
          defaultText: "",
        });
        await page.getByRole("button", { name: "OK" }).waitFor();
        await inspect(page, "asking");
        await page.getByRole("button", { name: "OK" }).click();
        scripted.send({ type: "driver", who: null, agentId: null });
        await inspect(page, "live");

        await page.getByRole("button", { name: "Annotate" }).click();
        scripted.send({
          type: "annotation",
          draft: {
            url: "http://localhost:5173/",
            title: "Storefront",
            selector: "[data-testid=add]",
            text: "Add to cart",
            html: "<button>Add to cart</button>",
            styles: [],
            box: { x: 0, y: 0, width: 10, height: 10 },
            screenshot: null,
          },
        });
        await page
          .getByRole("textbox", { name: "Comment" })
          .fill("Make it green");
        await page.getByRole("button", { name: "Save annotation" }).click();
        await page.getByRole("button", { name: "Send annotation" }).waitFor();
        scripted.send({
          type: "picked",
          box: { x: 330, y: 210, width: 130, height: 42 },
          label: "button",
        });
        await page.locator("[data-outline]").waitFor();
        await inspect(page, "annotating");
        await leave();
      },
    );
  },
);
