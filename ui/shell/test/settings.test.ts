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

describe.skipIf(!hasBrowser)("settings", () => {
  let shell: Awaited<ReturnType<typeof openShell>>;

  beforeAll(async () => {
    shell = await openShell();
  });
  afterAll(() => shell.close());
  beforeEach(() => {
    shell.standIn.state.sessions.clear();
    shell.standIn.state.plugins.clear();
    shell.standIn.state.answers.clear();
    shell.standIn.state.mode = "all";
  });
  afterEach(async () => {
    for (const context of shell.browser.contexts()) await context.close();
  });

  const devices = () =>
    [...shell.standIn.state.sessions.values()].map(({ device }) => device);

  test(
    "a device is revoked after a question, and only then",
    { tags: "thorough" },
    async () => {
      shell.standIn.addSession("Firefox on Mac");
      const { page } = await shell.open("/settings/devices");
      const list = page.getByRole("list", { name: "Devices" });
      await list.getByText("This browser").waitFor();
      await list.getByRole("button", { name: "Revoke Firefox on Mac" }).click();
      const dialog = page.getByRole("dialog", {
        name: "Revoke Firefox on Mac?",
      });
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await dialog.waitFor({ state: "hidden" });
      expect(devices()).toContain("Firefox on Mac");
      await list.getByRole("button", { name: "Revoke Firefox on Mac" }).click();
      await dialog.getByRole("button", { name: "Revoke" }).click();
      // While the dialog fades away, the list behind it is hidden from roles.
      await expect.poll(devices).not.toContain("Firefox on Mac");
      await dialog.waitFor({ state: "hidden" });
      await list.getByText("Firefox on Mac").waitFor({ state: "detached" });
    },
  );

  test(
    "the colours and who has to pair are chosen by keys",
    { tags: "thorough" },
    async () => {
      const { page } = await shell.open("/settings/appearance", {
        colorScheme: "light",
      });
      await page.getByRole("radio", { name: "System" }).focus();
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("Enter");
      await page.locator("html.dark").waitFor();
      await page.goto(`${shell.standIn.origin}/settings/devices`);
      await page.getByRole("radio", { name: /^All browsers pair/ }).focus();
      await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("Space");
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("button", { name: "Cancel" }).waitFor();
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "hidden" });
      const isFocused = () =>
        page
          .getByRole("radio", { name: /^Not on this machine/ })
          .evaluate((radio) => radio === document.activeElement);
      await expect.poll(isFocused).toBe(true);
      expect(shell.standIn.state.mode).toBe("all");
    },
  );

  test("this browser is signed out", { tags: "thorough" }, async () => {
    const { page } = await shell.open("/settings/devices");
    await page.getByRole("button", { name: "Sign out this browser" }).click();
    await page
      .getByRole("dialog")
      .getByRole("button", { name: "Sign out" })
      .click();
    await page.getByText("You signed this browser out").waitFor();
    expect(devices()).toEqual([]);
  });

  test(
    "another device is paired with a code that is shown, and that says when it was used",
    { tags: "thorough" },
    async () => {
      const { page } = await shell.open("/settings/devices");
      await page.getByRole("button", { name: "Pair another device" }).click();
      const dialog = page.getByRole("dialog", { name: "Pair another device" });
      await dialog
        .getByRole("status", { name: "Pairing code" })
        .getByText("K7QM-2XTA-9WPD")
        .waitFor();
      await dialog
        .getByRole("img", { name: "QR code with the pairing link" })
        .waitFor();
      await dialog.getByText(/Good for one device, for 9 min|10 min/).waitFor();
      const { session } = shell.standIn.addSession("Safari on iPhone");
      shell.standIn.events.emit("auth.session-created", session.id, {
        device: "Safari on iPhone",
        address: "192.168.1.2",
      });
      await dialog.getByText("Safari on iPhone is paired").waitFor();
      await dialog.getByRole("button", { name: "Done" }).click();
      await page
        .getByRole("list", { name: "Devices" })
        .getByText("Safari on iPhone")
        .waitFor();
    },
  );

  test(
    "a code that cannot be made says why, and can be asked for again",
    { tags: "thorough" },
    async () => {
      shell.standIn.state.answers.set("POST /api/auth/pairings", () => ({
        status: 409,
        body: {
          code: "PAIRING_TOO_MANY_OPEN",
          title: "Too many",
          detail: "Five codes are open; use or wait for one.",
        },
      }));
      const { page } = await shell.open("/settings/devices?pair=1");
      await page
        .getByText("Five codes are open; use or wait for one.")
        .waitFor();
      shell.standIn.state.answers.clear();
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByText("K7QM-2XTA-9WPD").waitFor();
      expect(new URL(page.url()).search).toBe("");
    },
  );

  test(
    "another device that was paired is reported, with a button that revokes it",
    { tags: "thorough" },
    async () => {
      const { page } = await shell.open("/");
      await page.getByText("Connected").waitFor();
      const { session } = shell.standIn.addSession("Firefox on Windows");
      shell.standIn.events.emit("auth.session-created", session.id, {
        device: session.device,
        address: "10.0.0.9",
      });
      await page
        .getByText("Firefox on Windows from 10.0.0.9", { exact: true })
        .waitFor();
      await page.getByRole("button", { name: "Revoke" }).click();
      await page
        .getByText("Firefox on Windows is no longer paired", { exact: true })
        .waitFor();
      expect(devices()).not.toContain("Firefox on Windows");
    },
  );

  test(
    "letting everything on this machine in is asked twice",
    { tags: "thorough" },
    async () => {
      const { page } = await shell.open("/settings/devices");
      await page.getByRole("radio", { name: /Not on this machine/ }).click();
      await page
        .getByRole("dialog")
        .getByRole("button", { name: "Let it in" })
        .click();
      await page
        .getByRole("radio", { name: /Not on this machine/, checked: true })
        .waitFor();
      expect(shell.standIn.state.mode).toBe("loopback");
      await page.getByRole("radio", { name: /All browsers pair/ }).click();
      await page
        .getByRole("radio", { name: /All browsers pair/, checked: true })
        .waitFor();
      expect(shell.standIn.state.mode).toBe("all");
    },
  );

  test(
    "plugins are listed with their state and what is wrong with them",
    { tags: "thorough" },
    async () => {
      const info = {
        state: "failed",
        reason: "Its config does not fit.",
        origin: "builtin",
        ui: null,
      } as const;
      shell.standIn.state.plugins.set(
        "inbox",
        fixturePlugin("inbox", { source: "", info }),
      );
      shell.standIn.state.plugins.set(
        "notes",
        fixturePlugin("notes", { info: { faults: 3 } }),
      );
      const { page } = await shell.open("/settings/plugins");
      await page.getByText("Its code did not catch 3 errors").waitFor();
      const builtin = page
        .getByRole("list", { name: "Built in" })
        .getByRole("listitem");
      await builtin.getByText("Its config does not fit.").waitFor();
      await builtin.getByText("Failed", { exact: true }).waitFor();
      await page
        .getByRole("list", { name: "Added by you" })
        .getByText("1.0.0")
        .waitFor();
      await page.goto(`${shell.standIn.origin}/inbox`);
      await page.getByText("The plugin inbox is failed").waitFor();
    },
  );

  test("the daemon says what it is", { tags: "thorough" }, async () => {
    const { page } = await shell.open("/settings/about");
    await page.getByText("/home/ada/.gantry").waitFor();
    await page.getByText("2 hr. ago").waitFor();
    expect(
      await page
        .getByRole("link", { name: "API reference" })
        .getAttribute("href"),
    ).toBe("/docs");
  });

  test(
    "what could not be loaded says so, and is loaded on demand",
    { tags: "thorough" },
    async () => {
      shell.standIn.state.answers.set("GET /api/system", () => ({
        status: 500,
        body: {
          code: "INTERNAL",
          title: "Ours",
          detail: "Something went wrong.",
          requestId: "req_9",
        },
      }));
      const { page } = await shell.open("/settings/about");
      const alert = page.getByRole("alert");
      await alert.getByText("INTERNAL · request req_9").waitFor();
      shell.standIn.state.answers.clear();
      await alert.getByRole("button", { name: "Try again" }).click();
      await page.getByText("/home/ada/.gantry").waitFor();
    },
  );
});
