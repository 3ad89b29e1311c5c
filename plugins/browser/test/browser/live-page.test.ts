import { createIdentifier } from "@gantry/plugin";
import { chromiumPath } from "@gantry/plugin-testing/browser";
import type { ScreenName } from "@gantry/plugin-testing/browser";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Tab } from "../../src/contract.ts";
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
<button style="position:absolute;left:20px;top:80px;width:150px;height:50px"
 onclick="document.body.style.background='rgb(255,0,0)';document.title='Bought'">Buy</button>
<button style="position:absolute;left:190px;top:80px;width:150px;height:50px"
 onclick="document.title='Said '+confirm(${JSON.stringify(HOSTILE).replaceAll('"', "&quot;")})">Ask</button>
<input aria-label=Name style="position:absolute;left:20px;top:150px;width:200px;height:30px" oninput="document.title='Typed '+this.value">
<input type=file multiple style="position:absolute;left:20px;top:200px;width:250px;height:30px"
 onchange="document.title=[...this.files].map(file=>file.name+' '+file.size)">`;

describe.skipIf(chromiumPath === undefined)("the page of a tab", () => {
  let stage: RecordsStage;
  let site: Pages;
  beforeAll(async () => {
    site = await startPages({
      "/": SHOP,
      "/next": "<title>Next</title>next",
      "/hostile": `<title>${HOSTILE.replaceAll("<", "&lt;")}</title>`,
    });
    stage = await startStage(REAL, createRealClock());
  });
  afterAll(async () => {
    await stage?.[Symbol.asyncDispose]();
    await site?.[Symbol.asyncDispose]();
  });

  async function look(path = "/", screen: ScreenName = "desk") {
    const { body } = await stage.kernel.api.post<Tab>("/api/browser/tabs", {
      url: site.url(path, "localhost"),
    });
    const visitor = await stage.open(`/browser/tabs/${body.id}`, screen);
    await isDrawn(visitor.page);
    return { id: body.id, ...visitor };
  }
  const canvas = (page: Page) =>
    page.getByRole("img", { name: /^Live picture/ });
  /** The colour of a point of the picture, as the sum of red, and of green and blue. */
  const colorAt = (page: Page, x: number, y: number) =>
    canvas(page).evaluate(
      (picture: HTMLCanvasElement, at) =>
        picture
          .getContext("2d")!
          .getImageData(
            (at.x * picture.width) / picture.clientWidth,
            (at.y * picture.height) / picture.clientHeight,
            1,
            1,
          )
          .data.slice(0, 3)
          .join(),
      { x, y },
    );
  const isDrawn = async (page: Page) => {
    await waitForPicture(page);
    await expect.poll(() => colorAt(page, 5, 300)).toBe("255,255,255");
  };
  const press = (page: Page, x: number, y: number) =>
    canvas(page).click({ position: { x, y }, force: true });
  const heading = (page: Page, name: string | RegExp) =>
    page.getByRole("heading", { level: 1, name }).waitFor();

  test("shows what a click and typing change, and lets go of the keys", async () => {
    const { page, leave } = await look();
    await press(page, 60, 100);
    await heading(page, "Bought");
    await expect
      .poll(() => colorAt(page, 5, 300))
      .toMatch(/^25\d,[0-9],[0-9]$/);
    await press(page, 60, 165);
    await page.keyboard.type("Ada g");
    await heading(page, "Typed Ada g");
    // Keys of Gantry's own, such as "g w", went to the page in the picture.
    await page.keyboard.press("Shift+F6");
    const address = page.getByRole("combobox", { name: "Address" });
    await expect
      .poll(() => address.evaluate((field) => field === document.activeElement))
      .toBe(true);
    await leave();
  });

  test("opens addresses, goes back, and says why an address is refused", async () => {
    const { page, leave, faults } = await look();
    const address = page.getByRole("combobox", { name: "Address" });
    await address.fill(site.url("/next", "localhost").replace("http://", ""));
    await address.press("Enter");
    await heading(page, "Next");
    await page.getByRole("button", { name: "Back" }).click();
    await heading(page, "Shop");
    await address.fill("javascript:alert(1)");
    await address.press("Enter");
    await page.getByText("Only pages of http and https").waitFor();
    await address.fill("169.254.169.254");
    await address.press("Enter");
    await page.getByText("This address is not opened").waitFor();
    expect(faults.filter((fault) => !fault.includes("403"))).toEqual([]);
    faults.length = 0;
    await leave();
  });

  test("takes titles, dialogs and addresses of pages for text", async () => {
    const hostile = await look("/hostile");
    await heading(hostile.page, HOSTILE);
    await hostile.leave();
    const { page, leave } = await look();
    await press(page, 240, 100);
    const dialog = page.getByRole("alertdialog");
    await dialog.getByText(HOSTILE).waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await heading(page, "Said false");
    expect(await page.evaluate("window.__xss")).toBeUndefined();
    await leave();
  });

  test(
    "gives a page the files that it asks for",
    { tags: "thorough" },
    async () => {
      const { page, leave } = await look();
      await press(page, 60, 215);
      const dialog = page.getByRole("dialog", {
        name: "This page asks for files",
      });
      const chooser = page.waitForEvent("filechooser");
      await dialog.getByRole("button", { name: "Choose files" }).click();
      const file = (name: string) => ({
        ...{ name, mimeType: "text/plain", buffer: Buffer.from(name) },
      });
      await (await chooser).setFiles([file("one.txt"), file("three.txt")]);
      await heading(page, "one.txt 7,three.txt 9");
      await dialog.waitFor({ state: "detached" });
      await leave();
    },
  );

  test(
    "is found again after it was closed, by the list of tabs",
    { tags: ["thorough"] },
    async () => {
      const { id, page, leave } = await look();
      await stage.kernel.api.delete(`/api/browser/tabs/${id}`);
      await page.getByText("This tab is not open any more").waitFor();
      await page.getByRole("link", { name: "Show the tabs" }).click();
      const address = page.getByRole("combobox", { name: "Address" });
      await address.fill(site.url("/", "localhost"));
      await address.press("Enter");
      await heading(page, "Shop");
      await isDrawn(page);
      await leave();
    },
  );

  test.each<ScreenName>(["desk", "phone"])(
    "on a %s axe finds nothing and nothing sticks out",
    { tags: ["thorough"] },
    async (screen) => {
      const { page, leave } = await look("/", screen);
      await inspect(page, "tab");
      await press(page, 240, 100);
      await page.getByRole("alertdialog").waitFor();
      await inspect(page, "tab-dialog");
      await page.getByRole("button", { name: "Cancel" }).click();
      await page.getByRole("button", { name: "Menu of the page" }).click();
      await page.getByRole("menuitem", { name: "Find in the page" }).click();
      await page
        .getByRole("textbox", { name: "Find in the page" })
        .fill("shop");
      await page.getByText("1 match").waitFor();
      await inspect(page, "tab-find");
      await page.getByRole("button", { name: "Menu of the page" }).click();
      await page.getByRole("menuitemcheckbox", { name: "Phone" }).click();
      await expect
        .poll(() =>
          canvas(page).evaluate((each: HTMLCanvasElement) => each.width),
        )
        .toBe(780);
      await inspect(page, "tab-phone");
      await leave();
    },
  );

  test("says whose tab it is", { tags: ["thorough"] }, async () => {
    const agentId = createIdentifier("agt");
    stage.agents.set(agentId, { id: agentId, name: "Checkout" });
    await stage.kernel.api.put(`/api/browser/policies/${agentId}`, {
      ...{ tier: "act", sites: [new URL(site.url("/", "localhost")).host] },
    });
    const { body } = await stage.kernel.api.post<Tab>("/api/browser/tabs", {
      ...{ url: site.url("/", "localhost"), agentId },
    });
    const { page, leave } = await stage.open(`/browser/tabs/${body.id}`);
    await page.getByText("A tab of Checkout.").waitFor();
    await isDrawn(page);
    await press(page, 60, 100);
    await page.getByText("You are using this page. Checkout waits.").waitFor();
    await leave();
  });
});
