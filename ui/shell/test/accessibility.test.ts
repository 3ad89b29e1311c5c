import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { fixturePlugin } from "./support/fixturePlugin.ts";
import { hasBrowser, openShell } from "./support/openShell.ts";

const still =
  "*, ::before, ::after { animation: none !important; transition: none !important; }";

describe.skipIf(!hasBrowser)("axe finds nothing", () => {
  let shell: Awaited<ReturnType<typeof openShell>>;

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
  });
  afterAll(() => shell.close());
  afterEach(async () => {
    for (const context of shell.browser.contexts()) await context.close();
  });

  const pages: [string, string, ((page: Page) => Promise<unknown>)?][] = [
    ["home", "/"],
    ["a page of a plugin", "/notes"],
    ["a page that failed", "/notes/throws"],
    ["a plugin that failed", "/inbox"],
    ["no page", "/nowhere"],
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

  test.each(pages)("%s", async (_name, path, act) => {
    const { page } = await shell.open(path, { colorScheme: "light" });
    await check(page, act);
  });

  test.each(pages)("%s, its colours in the dark", async (_name, path, act) => {
    const { page } = await shell.open(path, { colorScheme: "dark" });
    await check(page, act, ["color-contrast"]);
  });

  test.each(pages.slice(0, 9))("%s on a phone", async (_name, path, act) => {
    const { page } = await shell.open(path, {
      viewport: { width: 390, height: 780 },
      isMobile: true,
    });
    await check(page, act);
  });

  test.each(["light", "dark"] as const)(
    "the pairing page, %s",
    async (colorScheme) => {
      const { page } = await shell.open("/pair", {
        colorScheme,
        paired: false,
      });
      await check(page, (opened) =>
        opened.getByRole("textbox", { name: "Code" }).fill("NOTACODEATAL"),
      );
    },
  );

  async function check(
    page: Page,
    act?: (page: Page) => Promise<unknown>,
    rules?: string[],
  ): Promise<void> {
    await page.getByRole("heading", { level: 1 }).waitFor();
    await act?.(page);
    await page.addStyleTag({ content: still });
    const axe = new AxeBuilder({ page });
    if (rules) axe.withRules(rules);
    const { violations } = await axe.analyze();
    expect(
      violations.map(({ id, impact, nodes }) => ({
        id,
        impact,
        nodes: nodes.map(
          ({ html, failureSummary }) => `${html} ${failureSummary}`,
        ),
      })),
    ).toEqual([]);
  }
});
