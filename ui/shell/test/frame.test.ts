import type { Page } from "playwright-core";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  test,
} from "vitest";
import { fixturePlugin } from "./support/fixturePlugin.ts";
import { hasBrowser, openShell } from "./support/openShell.ts";

describe.skipIf(!hasBrowser)("the frame round the pages", () => {
  let shell: Awaited<ReturnType<typeof openShell>>;

  beforeAll(async () => {
    shell = await openShell();
  });
  afterAll(() => shell.close());
  beforeEach(() => {
    shell.standIn.state.plugins.clear();
    shell.standIn.state.plugins.set("notes", fixturePlugin("notes"));
  });
  afterEach(async () => {
    for (const context of shell.browser.contexts()) await context.close();
  });

  const ready = (page: Page) =>
    page.getByRole("heading", { level: 1 }).waitFor();
  const phone = {
    viewport: { width: 390, height: 780 },
    hasTouch: true,
    isMobile: true,
  };

  test("the palette is opened, searched and used by keys alone", async () => {
    const { page, complaints } = await shell.open("/");
    await ready(page);
    await page.keyboard.press("Control+k");
    const palette = page.getByRole("dialog", { name: "Search and commands" });
    await palette.getByRole("option", { name: /^Home/ }).waitFor();
    await page.keyboard.type("plugins");
    await palette.getByRole("option", { name: /^Plugins/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("list", { name: "Added by you" }).waitFor();
    await palette.waitFor({ state: "hidden" });
    await page.keyboard.press("Control+k");
    await page.keyboard.press("Control+k");
    await palette.waitFor({ state: "hidden" });
    expect(complaints).toEqual([]);
  });

  test(
    "the palette offers what is recent, commands of plugins, and what they find",
    { tags: "thorough" },
    async () => {
      const { page } = await shell.open("/settings/about");
      await ready(page);
      await page.getByRole("button", { name: "Search and commands" }).click();
      const palette = page.getByRole("dialog", { name: "Search and commands" });
      await palette.getByRole("option", { name: /^New note/ }).waitFor();
      await palette.getByRole("option", { name: "Latest note" }).waitFor();
      // What came later has not taken the place of what was chosen already.
      expect(
        await palette
          .getByRole("option", { name: /^Home/ })
          .getAttribute("data-highlighted"),
      ).not.toBeNull();
      await page.keyboard.type("milk");
      await palette.getByRole("option", { name: "Hit for milk" }).waitFor();
      expect(
        await palette.getByRole("option", { name: "Latest note" }).count(),
      ).toBe(0);
      await palette.getByRole("option", { name: "Hit for milk" }).click();
      await page.getByRole("heading", { name: "Note first" }).waitFor();
    },
  );

  test(
    "the focus goes back to where it was, or to the page if that is gone",
    { tags: "thorough" },
    async () => {
      const { page } = await shell.open("/notes");
      await ready(page);
      const focused = () =>
        page.evaluate(
          () =>
            document.activeElement?.id || document.activeElement?.textContent,
        );
      await page.keyboard.press("j");
      expect(await focused()).toBe("First note");
      const palette = page.getByRole("dialog", { name: "Search and commands" });
      await page.keyboard.press("Control+k");
      await palette.getByRole("option", { name: /^Home/ }).waitFor();
      await page.keyboard.press("Escape");
      await expect.poll(focused).toBe("First note");

      await page.keyboard.press("Control+k");
      await palette.getByRole("option", { name: /^Home/ }).waitFor();
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Home" }).waitFor();
      await palette.waitFor({ state: "hidden" });
      const isInPage = () =>
        page.evaluate(
          () => document.activeElement?.closest("main")?.id === "main",
        );
      await expect.poll(isInPage).toBe(true);

      shell.standIn.events.emit("auth.session-created", "ses_x", {
        device: "Firefox",
        address: "10.0.0.1",
      });
      await page.getByRole("button", { name: "Revoke" }).waitFor();
      await page.keyboard.press("F8");
      expect(await focused()).toBe("Revoke");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      await page
        .getByRole("button", { name: "Revoke" })
        .waitFor({ state: "detached" });
      await expect.poll(isInPage).toBe(true);
    },
  );

  test(
    "help lists the keys, and keys lead to pages and along rows",
    { tags: "thorough" },
    async () => {
      const { page } = await shell.open("/notes");
      await ready(page);
      await page.keyboard.press("?");
      const help = page.getByRole("dialog", { name: "Keyboard shortcuts" });
      for (const name of [
        "Search and commands",
        "Notes",
        "New note",
        "Next row",
      ]) {
        await help.getByText(name, { exact: true }).waitFor();
      }
      await page.keyboard.press("Escape");
      await help.waitFor({ state: "hidden" });
      await page.keyboard.press("j");
      expect(
        await page.evaluate(() => document.activeElement?.textContent),
      ).toBe("First note");
      await page.keyboard.press("g");
      await page.keyboard.press("s");
      await page.getByRole("region", { name: "Devices" }).waitFor();
    },
  );

  test(
    "colours are chosen, kept, and there before the first script of the app",
    { tags: "thorough" },
    async () => {
      const { page } = await shell.open("/settings/appearance", {
        colorScheme: "light",
      });
      await page.getByRole("radio", { name: "Dark" }).click();
      await page.getByRole("radio", { name: "Dark", checked: true }).waitFor();
      await page.route("**/_nuxt/*.js", (route) => route.abort());
      await page.reload();
      expect(
        await page.evaluate(() => document.documentElement.className),
      ).toBe("dark");
    },
  );

  test(
    "the sidebar is narrowed, and stays so",
    { tags: "thorough" },
    async () => {
      const { page } = await shell.open("/");
      await ready(page);
      const width = () =>
        page
          .getByRole("navigation", { name: "Main" })
          .evaluate((element) => element.clientWidth);
      await page.keyboard.press("[");
      await page.getByRole("button", { name: "Widen the sidebar" }).waitFor();
      await expect.poll(width).toBe(56);
      await page.reload();
      await ready(page);
      await expect.poll(width).toBe(56);
      await page.getByRole("link", { name: "Notes 3 unread" }).click();
      await page.getByRole("heading", { name: "Notes" }).waitFor();
    },
  );

  test(
    "on a phone the navigation is in reach, and nothing is wider than the screen",
    { tags: "thorough" },
    async () => {
      const { page } = await shell.open("/", phone);
      await ready(page);
      const navigation = page.getByRole("navigation", { name: "Main" });
      await navigation.getByRole("link", { name: "Notes 3 unread" }).click();
      await page.getByRole("heading", { name: "Notes" }).waitFor();
      await navigation.getByRole("button", { name: "More" }).click();
      await page
        .getByRole("dialog", { name: "More" })
        .getByRole("link", { name: "Settings" })
        .click();
      await page.getByRole("region", { name: "Devices" }).waitFor();
      for (const path of [
        "/",
        "/notes",
        "/settings/devices",
        "/settings/plugins",
        "/settings/about",
        "/nowhere",
      ]) {
        await page.goto(shell.standIn.origin + path);
        await ready(page);
        const wider = await page.evaluate(() =>
          [...document.querySelectorAll("html, main, [data-page-scroll]")]
            .filter((box) => box.scrollWidth > box.clientWidth)
            .map((box) => box.outerHTML.slice(0, 80)),
        );
        expect(wider, path).toEqual([]);
      }
    },
  );

  test(
    "a connection that is lost is said, and gone again when it is back",
    { tags: "thorough" },
    async () => {
      const { page } = await shell.open("/");
      await page.getByText("Connected").waitFor();
      let isDown = true;
      let failures = 0;
      page.on("requestfailed", () => (failures += 1));
      await page.clock.install();
      await page.route("**/api/events**", (route) =>
        isDown ? route.abort() : route.continue(),
      );
      shell.standIn.events.closeAll();
      await page.getByText("The connection to Gantry is lost").waitFor();

      // With the clock at a stop, at most one more try comes by itself.
      await page.clock.pauseAt(Date.now() + 60_000);
      const before = failures;
      await expect
        .poll(async () => {
          await page.getByRole("button", { name: "Try now" }).press("Enter");
          return failures;
        })
        .toBeGreaterThan(before + 2);

      isDown = false;
      await page.clock.resume();
      await page.getByText("Connected").waitFor();
      await page
        .getByText("The connection to Gantry is lost")
        .waitFor({ state: "detached" });
    },
  );

  test(
    "after a restart of the daemon everything is loaded again",
    { tags: "thorough" },
    async () => {
      const { page } = await shell.open("/settings/devices");
      await page.getByText("Connected").waitFor();
      shell.standIn.addSession("Firefox on Mac");
      shell.standIn.events.closeAll(true);
      await page
        .getByRole("list", { name: "Devices" })
        .getByText("Firefox on Mac")
        .waitFor();
    },
  );

  test(
    "an address that other servers share is warned of, and Gantry's own name is not",
    { tags: "thorough" },
    async () => {
      const own = await shell.open("/settings/about?x=1");
      await ready(own.page);
      expect(
        await own.page.getByText("Other servers on this machine").count(),
      ).toBe(0);
      const { page } = await shell.open("/settings/about?x=1", {
        host: "127.0.0.1",
      });
      await page.getByText("Other servers on this machine").waitFor();
      expect(
        await page
          .getByRole("link", { name: "Open gantry.localhost" })
          .getAttribute("href"),
      ).toBe(`${shell.standIn.origin}/settings/about?x=1`);
      await page
        .getByRole("button", {
          name: "Hide this warning until the browser is closed",
        })
        .click();
      await page.reload();
      await ready(page);
      expect(
        await page.getByText("Other servers on this machine").count(),
      ).toBe(0);
    },
  );

  test(
    "a page that is older than the daemon says so, and offers to be reloaded",
    { tags: "thorough" },
    async () => {
      const { page } = await shell.open("/settings/devices");
      await ready(page);
      await page.route("**/_nuxt/*.js", (route) =>
        route.fulfill({ status: 404 }),
      );
      await page.getByRole("button", { name: "Pair another device" }).click();
      await page.getByText("Gantry was updated", { exact: true }).waitFor();
      await page.unroute("**/_nuxt/*.js");
      await page.getByRole("button", { name: "Reload the page" }).click();
      await ready(page);
      await page.getByRole("button", { name: "Pair another device" }).click();
      await page.getByRole("dialog").waitFor();
    },
  );

  test(
    "there is one event stream, whatever is on the page",
    { tags: "thorough" },
    async () => {
      const { page } = await shell.open("/");
      await page.getByText("Connected").waitFor();
      await page.goto(`${shell.standIn.origin}/settings/devices`);
      await page.getByText("Connected").waitFor();
      await expect.poll(() => shell.standIn.events.count).toBe(1);
    },
  );

  test(
    "the first stop of the Tab key skips the navigation",
    { tags: "thorough" },
    async () => {
      const { page } = await shell.open("/notes");
      await ready(page);
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      expect(await page.evaluate(() => document.activeElement?.id)).toBe(
        "main",
      );
      await page.keyboard.press("Tab");
      expect(
        await page.evaluate(() => document.activeElement?.textContent?.trim()),
      ).toBe("Count 0");
    },
  );
});
