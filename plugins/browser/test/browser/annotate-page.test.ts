import { createIdentifier, defineErrors } from "@gantry/plugin";
import { chromiumPath } from "@gantry/plugin-testing/browser";
import type { ScreenName } from "@gantry/plugin-testing/browser";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Annotation, Tab } from "../../src/contract.ts";
import { createRealClock } from "../support/real-clock.ts";
import { REAL } from "../support/start-browsing.ts";
import { startPages } from "../support/start-pages.ts";
import type { Pages } from "../support/start-pages.ts";
import { inspect } from "./support/inspect.ts";
import { startStage } from "./support/stage.ts";
import type { RecordsStage } from "./support/stage.ts";
import { waitForPicture } from "./support/wait-for-picture.ts";

/** Run as script by whatever takes it for HTML. */
const HOSTILE = `"><img src=x onerror="window.__xss=1"><b>bold</b>`;
const SHOP = `<!doctype html><meta name=viewport content="width=device-width"><title>Shop</title>
<body style="margin:0;font:16px sans-serif"><h1 style="margin:20px">The shop</h1>
<button data-testid=buy style="position:absolute;left:20px;top:80px;width:150px;height:50px;background:#16a34a"
 onclick="document.title='Bought'">Buy</button>
<p title="${HOSTILE.replaceAll('"', "&quot;")}" style="position:absolute;left:20px;top:150px;width:200px;height:30px;margin:0">${HOSTILE.replaceAll("<", "&lt;")}</p>`;
const { AGENT_CLOSED } = defineErrors({
  AGENT_CLOSED: {
    ...{ status: 409, title: "Closed", detail: "The agent was closed." },
  },
});

describe.skipIf(chromiumPath === undefined)("annotating a page", () => {
  let stage: RecordsStage;
  let site: Pages;
  beforeAll(async () => {
    site = await startPages({ "/": SHOP });
    stage = await startStage(REAL, createRealClock());
    for (const name of ["Docs", "Checkout"]) {
      const id = createIdentifier("agt");
      stage.agents.set(id, { id, name });
    }
  });
  afterAll(async () => {
    await stage?.[Symbol.asyncDispose]();
    await site?.[Symbol.asyncDispose]();
  });

  async function look(screen: ScreenName = "desk") {
    const { body } = await stage.kernel.api.post<Tab>("/api/browser/tabs", {
      url: site.url("/", "localhost"),
    });
    const visitor = await stage.open(`/browser/tabs/${body.id}`, screen);
    const { page } = visitor;
    await page.getByRole("heading", { level: 1, name: "Shop" }).waitFor();
    await waitForPicture(page);
    await page.getByRole("button", { name: "Annotate", exact: true }).click();
    return { id: body.id, ...visitor };
  }
  const layer = (page: Page) => page.getByRole("application");
  const comment = (page: Page) =>
    page.getByRole("textbox", { name: "Comment" });
  const press = (page: Page, name: string) =>
    page.getByRole("button", { name, exact: true }).click();
  async function pick(page: Page, x: number, y: number): Promise<void> {
    await layer(page).click({ position: { x, y } });
    await comment(page).waitFor();
  }
  async function sendTo(page: Page, agent: string, button: string) {
    await page.getByRole("combobox", { name: "Agent" }).click();
    await page.getByRole("option", { name: agent }).click();
    await press(page, button);
  }
  const listed = async () =>
    (
      await stage.kernel.api.get<{ items: Annotation[] }>(
        "/api/browser/annotations",
      )
    ).body.items;

  test(
    "elements are picked with the mouse and with keys, and sent together",
    { tags: ["thorough"] },
    async () => {
      const { page, leave } = await look();
      // The page gets another size when the panel opens beside it, which ends an outline until the mouse moves.
      let x = 60;
      await expect
        .poll(async () => {
          x = x === 60 ? 70 : 60;
          await layer(page).hover({ position: { x, y: 100 } });
          return page
            .locator("[data-outline]")
            .evaluateAll((found: HTMLElement[]) =>
              found.map(({ offsetWidth, offsetHeight }) => [
                ...[offsetWidth, offsetHeight],
              ]),
            );
        })
        .toEqual([[150, 50]]);
      await pick(page, 60, 100);
      await page.getByText('[data-testid="buy"]').waitFor();
      await comment(page).fill("Make it blue");
      await press(page, "Save for later");
      await page
        .getByRole("list", { name: "Saved annotations" })
        .getByText("Make it blue")
        .waitFor();
      // The arrow keys move the point from where the mouse was.
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Shift+ArrowDown");
      await page.keyboard.press("Enter");
      await comment(page).fill("Say something else");
      await sendTo(page, "Checkout", "Send 2");
      await page.getByText("Sent to Checkout").first().waitFor();
      expect(stage.prompts).toHaveLength(1);
      const { message, images } = stage.prompts[0]!;
      expect(message).toContain("1. Make it blue\n2. Say something else\n");
      expect(message).toContain(JSON.stringify(HOSTILE));
      expect(images?.map(({ mimeType }) => mimeType)).toEqual([
        ...["image/jpeg", "image/jpeg"],
      ]);
      // The page was looked at and not used.
      expect(await page.getByText("Bought").count()).toBe(0);
      expect(await page.evaluate("window.__xss")).toBeUndefined();
      await leave();
    },
  );

  test("nothing that was written is lost", { tags: ["thorough"] }, async () => {
    const { id, page, leave, faults } = await look();
    await pick(page, 60, 100);
    await comment(page).fill("Keep this");
    stage.refusals.push(() => AGENT_CLOSED());
    await sendTo(page, "Docs", "Send");
    await page.getByText("The agent was closed.").first().waitFor();
    faults.length = 0;
    expect((await listed())[0]).toMatchObject({
      ...{ comment: "Keep this", sentTo: null },
    });
    await page.getByText("Keep this").waitFor();
    await pick(page, 60, 165);
    await comment(page).fill("And this");
    await stage.kernel.api.delete(`/api/browser/tabs/${id}`);
    await page.getByText("This tab is not open any more").waitFor();
    expect(await comment(page).inputValue()).toBe("And this");
    await page.reload();
    await expect.poll(() => comment(page).inputValue()).toBe("And this");
    await press(page, "Save for later");
    await comment(page).waitFor({ state: "detached" });
    await page.goto(page.url().replace(/tabs\/.*/, "annotations"));
    await page.getByRole("checkbox", { name: "Choose: And this" }).click();
    await page.getByRole("checkbox", { name: "Choose: Keep this" }).click();
    await sendTo(page, "Docs", "Send 2");
    await page.getByText("· Sent to Docs").nth(1).waitFor();
    expect(stage.prompts.at(-1)?.message).toContain(
      "1. Keep this\n2. And this\n",
    );
    await press(page, "Open the page in a tab: And this");
    await page.getByRole("heading", { level: 1, name: "Shop" }).waitFor();
    faults.length = 0;
    await leave();
  });

  test.each<ScreenName>(["desk", "phone"])(
    "on a %s axe finds nothing and nothing sticks out",
    { tags: ["thorough"] },
    async (screen) => {
      const { page, leave } = await look(screen);
      await inspect(page, "annotate");
      await pick(page, 60, 100);
      await comment(page).fill("Make this button blue");
      await inspect(page, "annotate-comment");
      await press(page, "Save for later");
      await page.getByText("Make this button blue").waitFor();
      await inspect(page, "annotate-saved");
      await page.goto(page.url().replace(/tabs\/.*/, "annotations"));
      await page.getByRole("checkbox").first().click();
      await page.getByRole("combobox", { name: "Agent" }).waitFor();
      await inspect(page, "annotations-chosen");
      await leave();
    },
  );
});
