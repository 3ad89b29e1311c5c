import { findBarriers } from "@gantry/ui-kit/testing";
import type { Page } from "playwright-core";
import { isThorough, thoroughUnless } from "@gantry/build/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fixturePlugin } from "./support/fixturePlugin.ts";
import { hasBrowser, openShell } from "./support/openShell.ts";

describe.skipIf(!hasBrowser)("axe finds nothing", () => {
  let shell: Awaited<ReturnType<typeof openShell>>;
  let page: Page;

  beforeAll(async () => {
    shell = await openShell();
    shell.standIn.state.plugins.set("notes", fixturePlugin("notes"));
    const failed = {
      state: "failed",
      reason: "Its config does not fit.",
      origin: "builtin",
      ui: null,
    } as const;
    shell.standIn.state.plugins.set(
      "inbox",
      fixturePlugin("inbox", { source: "", info: failed }),
    );
    shell.standIn.addSession("Safari on iPhone", { online: false });
    ({ page } = await shell.open("/"));
  });
  afterAll(() => shell.close());

  const pages: [string, string, ((page: Page) => Promise<unknown>)?][] = [
    ["home", "/"],
    ["a page of a plugin", "/notes"],
    ["a page that failed", "/notes/throws"],
    ["a plugin that failed", "/inbox"],
    ["no page", "/nowhere"],
    ["the dashboard", "/dashboard?range=2026-01-01..2026-02-01"],
    [
      "devices",
      "/settings/devices",
      (page) => page.getByText("Safari on iPhone").first().waitFor(),
    ],
    ["appearance", "/settings/appearance"],
    ["plugins", "/settings/plugins"],
    [
      "about",
      "/settings/about",
      (page) => page.getByText("/home/ada/.gantry").waitFor(),
    ],
    [
      "the palette",
      "/",
      async (page) => {
        await page.keyboard.press("Control+k");
        await page.getByRole("option", { name: /^Home/ }).waitFor();
      },
    ],
    [
      "help",
      "/",
      async (page) => {
        await page.keyboard.press("?");
        await page.getByText("Next row").waitFor();
      },
    ],
    [
      "the code for another device",
      "/settings/devices?pair=1",
      (page) => page.getByText("K7QM-2XTA-9WPD").waitFor(),
    ],
    [
      "a question",
      "/settings/devices",
      async (page) => {
        await page
          .getByRole("button", { name: "Sign out this browser" })
          .click();
        await page.getByRole("dialog").waitFor();
      },
    ],
    [
      "a toast",
      "/",
      async (page) => {
        await page
          .getByText("Connected")
          .first()
          .waitFor({ state: "attached" });
        shell.standIn.events.emit("auth.session-created", "ses_x", {
          device: "Firefox",
          address: "10.0.0.1",
        });
        await page.getByRole("button", { name: "Revoke" }).waitFor();
      },
    ],
  ];

  const everyChange = ["home", "the dashboard", "devices", "the palette"];
  for (const [name, path, act] of pages)
    test(
      name,
      { tags: thoroughUnless(everyChange.includes(name)) },
      async () => {
        await page.setViewportSize({ width: 1280, height: 800 });
        await page.emulateMedia({ colorScheme: "light" });
        await page.goto(shell.standIn.origin + path);
        // By its element: a dialog that opens at once hides it from roles.
        await page.locator("h1").waitFor();
        await act?.(page);
        await look(page);
      },
    );

  test("the pairing page", async () => {
    const stranger = await shell.open("/pair", {
      colorScheme: "light",
      paired: false,
    });
    await stranger.page
      .getByRole("textbox", { name: "Code" })
      .fill("NOTACODEATAL");
    await look(stranger.page);
  });

  /** Looks at a page in light on a desk; in a thorough run in the dark and on a phone too. */
  async function look(at: Page): Promise<void> {
    expect(await findBarriers(at), "light").toEqual([]);
    if (!isThorough) return;
    await at.emulateMedia({ colorScheme: "dark" });
    await at.locator("html.dark").waitFor();
    expect(
      await findBarriers(at, { rules: ["color-contrast"] }),
      "dark",
    ).toEqual([]);
    await at.setViewportSize({ width: 390, height: 780 });
    await expect
      .poll(() => at.evaluate("matchMedia('(min-width: 48rem)').matches"))
      .toBe(false);
    expect(await findBarriers(at), "on a phone").toEqual([]);
  }
});
