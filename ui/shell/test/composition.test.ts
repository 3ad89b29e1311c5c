import { cases } from "@gantry/build/testing";
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  test,
} from "vitest";
import type { Locator, Page } from "playwright-core";
import { fixturePlugin, pageSource } from "./support/fixturePlugin.ts";
import { hasBrowser, openShell } from "./support/openShell.ts";

describe.skipIf(!hasBrowser)("plugins in the shell", () => {
  let shell: Awaited<ReturnType<typeof openShell>>;

  beforeAll(async () => {
    shell = await openShell();
  });
  afterAll(() => shell.close());
  beforeEach(() => {
    shell.standIn.state.plugins.clear();
    const candidates = ["mt-[13px]", "text-fuchsia-600"];
    shell.standIn.state.plugins.set(
      "notes",
      fixturePlugin("notes", { candidates }),
    );
  });
  afterEach(async () => {
    for (const context of shell.browser.contexts()) await context.close();
  });

  const mainNavigation = (page: Page) =>
    page.getByRole("navigation", { name: "Main" });

  test(
    "a link deep into a plugin opens its page at first load, with Vue, classes and icons that work",
    { tags: "thorough" },
    async () => {
      const { page, complaints, foreign } = await shell.open("/notes");
      await page.getByRole("heading", { name: "Notes", level: 1 }).waitFor();
      // A second copy of Vue would render and not react.
      await page.getByRole("button", { name: "Count 0" }).click();
      await page.getByRole("button", { name: "Count 1" }).waitFor();
      const own = page.locator("#own-classes");
      expect(
        await own.evaluate((element) => getComputedStyle(element).marginTop),
      ).toBe("13px");
      await page
        .getByRole("button", { name: "Count 1" })
        .locator("svg path[d^='M5 4']")
        .waitFor();
      expect(await page.title()).toBe("(3) Notes · Gantry");
      expect(complaints).toEqual([]);
      expect(foreign).toEqual([]);
    },
  );

  test(
    "what a plugin gives is where it belongs",
    { tags: "thorough" },
    async () => {
      const { page } = await shell.open("/");
      const navigation = mainNavigation(page);
      await navigation.getByRole("link", { name: "Notes 3 unread" }).waitFor();
      await navigation
        .getByRole("link", { name: "First note working" })
        .waitFor();
      await page.getByRole("region", { name: "Latest notes" }).waitFor();
      await page
        .getByRole("region", { name: "First steps" })
        .getByRole("link", { name: "Write one" })
        .waitFor();
      await page.getByText("A part of the plugin notes failed").waitFor();
      await page.getByRole("button", { name: "New note" }).click();
      await page.getByRole("heading", { name: "Note new" }).waitFor();
      await page.keyboard.press("g");
      await page.keyboard.press("n");
      await page.getByRole("heading", { name: "Notes", level: 1 }).waitFor();
      await page.keyboard.press("n");
      await page.getByRole("heading", { name: "Note new" }).waitFor();
      await page.goto(`${shell.standIn.origin}/settings`);
      await page
        .getByRole("navigation", { name: "Settings" })
        .getByRole("link", { name: "Notes" })
        .click();
      await page.getByText("Settings of the notes").waitFor();
    },
  );

  test("a page that throws is a card; the navigation stays and leads on", async () => {
    const { page } = await shell.open("/notes/throws");
    const card = page.getByRole("alert");
    await card.getByText("The note is broken").waitFor();
    await card.getByRole("button", { name: "Try again" }).click();
    await card.getByText("The note is broken").waitFor();
    await mainNavigation(page)
      .getByRole("link", { name: "Notes 3 unread" })
      .click();
    await page.getByRole("button", { name: "Count 0" }).waitFor();
  });

  test(
    "a click that throws is reported and leaves the page as it is",
    { tags: "thorough" },
    async () => {
      const { page } = await shell.open("/notes/click");
      await page.getByRole("button", { name: "Break" }).click();
      await page.getByText("The click is broken", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Break" }).waitFor();
      expect(
        await page.getByRole("button", { name: "Try again" }).count(),
      ).toBe(0);
    },
  );

  test.each(
    cases([
      ["throws", "throw new Error('no luck')", "no luck"],
      [
        "lacks an export",
        'import { nothing } from "@gantry/ui-kit"; export default nothing;',
        "another version",
      ],
      ["is no UI", "export default { pages: [] };", "definePluginUi"],
      ["is no JavaScript", "}{", "Unexpected token"],
    ]),
  )(
    "a bundle that %s costs only its own pages, and they say why",
    async (_what, source, reason) => {
      shell.standIn.state.plugins.set(
        "broken",
        fixturePlugin("broken", { source }),
      );
      const { page } = await shell.open("/broken/deep/page");
      await page
        .getByText("The pages of the plugin broken could not be loaded")
        .waitFor();
      await page.getByText(reason).waitFor();
      await mainNavigation(page)
        .getByRole("link", { name: "Notes 3 unread" })
        .click();
      await page.getByRole("button", { name: "Count 0" }).waitFor();
    },
  );

  test(
    "pages that failed to load can be tried again",
    { tags: "thorough" },
    async () => {
      shell.standIn.state.plugins.set(
        "late",
        fixturePlugin("late", { source: "throw new Error('not yet')" }),
      );
      const { page } = await shell.open("/late");
      await page.getByText("not yet").waitFor();
      shell.standIn.state.plugins.set(
        "late",
        fixturePlugin("late", { source: pageSource("late", "Late page") }),
      );
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("heading", { name: "Late page" }).waitFor();
      await mainNavigation(page)
        .getByRole("link", { name: "Late page" })
        .waitFor();
    },
  );

  test(
    "a bundle that comes late does not keep the others from starting, and is shown once it is there",
    { tags: "thorough" },
    async () => {
      const source = `await new Promise((resolve) => (window.arrive = resolve));
        ${pageSource("stuck", "Late page")}`;
      shell.standIn.state.plugins.set(
        "stuck",
        fixturePlugin("stuck", { source }),
      );
      const { page } = await shell.open("/pair");
      await page.clock.install();
      /** Lets time pass until something is to be seen. */
      const pass = async (locator: Locator) => {
        await expect
          .poll(async () => {
            await page.clock.fastForward(1_000);
            return locator.isVisible();
          })
          .toBe(true);
      };
      await page.goto(`${shell.standIn.origin}/notes`);
      await pass(page.getByRole("button", { name: "Count 0" }));
      await page.goto(`${shell.standIn.origin}/stuck`);
      await pass(page.getByRole("heading", { name: "stuck", exact: true }));
      expect(await page.getByText("did not load").count()).toBe(0);
      await pass(page.getByText("did not load within 10 seconds"));
      await page.evaluate("window.arrive()");
      await page.getByRole("heading", { name: "Late page" }).waitFor();
      await mainNavigation(page)
        .getByRole("link", { name: "Late page" })
        .waitFor();
    },
  );

  test(
    "a plugin may not take a path of the app",
    { tags: "thorough" },
    async () => {
      shell.standIn.state.plugins.set(
        "settings",
        fixturePlugin("settings", { source: pageSource("settings", "Mine") }),
      );
      const { page } = await shell.open("/settings/plugins");
      await page
        .getByText('Its id "settings" is a path that the app itself uses')
        .waitFor();
    },
  );

  test(
    "a page whose plugin stops says so, also when the daemon gives no files any more",
    { tags: "thorough" },
    async () => {
      const ending = fixturePlugin("ending", {
        source: pageSource("ending", "Ending page"),
      });
      shell.standIn.state.plugins.set("ending", ending);
      const { page } = await shell.open("/ending");
      await page.getByRole("heading", { name: "Ending page" }).waitFor();
      await page.route("**/_nuxt/**", (route) => route.abort());
      ending.info = { ...ending.info, state: "stopping", ui: null };
      shell.standIn.events.emit("kernel.plugin-changed", "ending", {
        state: "stopping",
        reason: null,
      });
      await page.getByText("The plugin ending is stopping").waitFor();
      shell.standIn.state.plugins.delete("ending");
      await page.context().close();
    },
  );

  test("a plugin comes and goes while the app runs, without a reload", async () => {
    const { page } = await shell.open("/fresh");
    await page.getByRole("heading", { name: "No such page" }).waitFor();
    await page.evaluate(() => Object.assign(window, { sameDocument: true }));

    const fresh = fixturePlugin("fresh", {
      source: pageSource("fresh", "Fresh page"),
      candidates: ["text-[19px]"],
    });
    shell.standIn.state.plugins.set("fresh", fresh);
    shell.standIn.events.emit("kernel.plugin-changed", "fresh", {
      state: "active",
      reason: null,
    });
    await page.getByRole("heading", { name: "Fresh page" }).waitFor();
    await mainNavigation(page)
      .getByRole("link", { name: "Fresh page" })
      .waitFor();
    await page.waitForFunction(() => {
      const here = [...document.querySelectorAll("p")].find(
        (element) => element.textContent === "here",
      );
      return here && getComputedStyle(here).fontSize === "19px";
    });

    fresh.info = {
      ...fresh.info,
      state: "failed",
      reason: "Its config does not fit.",
      ui: null,
    };
    shell.standIn.events.emit("kernel.plugin-changed", "fresh", {
      state: "failed",
      reason: "Its config does not fit.",
    });
    await page.getByText("The plugin fresh is failed").waitFor();
    await page
      .getByRole("main")
      .getByText("Its config does not fit.")
      .waitFor();
    expect(
      await mainNavigation(page)
        .getByRole("link", { name: "Fresh page" })
        .count(),
    ).toBe(0);

    shell.standIn.state.plugins.delete("fresh");
    shell.standIn.events.emit("kernel.plugin-changed", "fresh", {
      state: "disabled",
      reason: null,
    });
    await page.getByRole("heading", { name: "No such page" }).waitFor();
    expect(await page.evaluate(() => "sameDocument" in window)).toBe(true);
  });

  test(
    "a plugin that was updated shows its new pages, and the page of another stays as it is",
    { tags: "thorough" },
    async () => {
      shell.standIn.state.plugins.set(
        "fresh",
        fixturePlugin("fresh", { source: pageSource("fresh", "Old page") }),
      );
      const { page } = await shell.open("/notes");
      await page.getByRole("button", { name: "Count 0" }).click();
      shell.standIn.state.plugins.set(
        "fresh",
        fixturePlugin("fresh", {
          source: pageSource("fresh", "New page"),
          info: { ui: { entry: "/plugins/fresh/ui/index.mjs?v=2", css: null } },
        }),
      );
      shell.standIn.events.emit("kernel.plugin-changed", "fresh", {
        state: "active",
        reason: null,
      });
      await mainNavigation(page)
        .getByRole("link", { name: "New page" })
        .waitFor();
      await page.getByRole("button", { name: "Count 1" }).waitFor();
      await mainNavigation(page)
        .getByRole("link", { name: "New page" })
        .click();
      await page.getByRole("heading", { name: "New page" }).waitFor();
    },
  );

  test(
    "the list of plugins failing leaves the app without their pages, not without itself",
    { tags: "thorough" },
    async () => {
      shell.standIn.state.answers.set("GET /api/plugins", () => ({
        status: 500,
        body: { code: "INTERNAL", detail: "Ours." },
      }));
      const { page } = await shell.open("/settings/devices");
      await page.getByRole("region", { name: "Devices" }).waitFor();
      shell.standIn.state.answers.clear();
    },
  );
});
