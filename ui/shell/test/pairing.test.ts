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

describe.skipIf(!hasBrowser)("pairing", () => {
  let shell: Awaited<ReturnType<typeof openShell>>;

  beforeAll(async () => {
    shell = await openShell();
    shell.standIn.state.plugins.set("notes", fixturePlugin("notes"));
  });
  afterAll(() => shell.close());
  beforeEach(() => {
    shell.standIn.state.codes.clear();
    shell.standIn.state.requests.length = 0;
  });
  afterEach(async () => {
    for (const context of shell.browser.contexts()) await context.close();
  });

  const code = (page: Page) => page.getByRole("textbox", { name: "Code" });
  const pair = (page: Page) =>
    page.getByRole("button", { name: "Pair this browser" });

  test("a browser that is not paired sees the pairing page, then the page that it wanted", async () => {
    shell.standIn.state.codes.add("ABCDEFGHJKLM");
    const { page, complaints } = await shell.open("/notes/first?x=1", {
      paired: false,
    });
    await page.getByRole("heading", { name: "Pair this browser" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/pair");
    expect(
      await page
        .getByRole("textbox", { name: "Name of this browser" })
        .inputValue(),
    ).toMatch(/^(Headless)?Chrome on Linux$/);
    expect(await pair(page).isDisabled()).toBe(true);
    await code(page).pressSequentially("abcd-efgh jklm");
    expect(await code(page).inputValue()).toBe("ABCD-EFGH-JKLM");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Note first" }).waitFor();
    expect(page.url()).toBe(`${shell.standIn.origin}/notes/first?x=1`);
    expect(page.url()).not.toContain("ABCD");
    expect(complaints).toEqual([]);
  });

  test(
    "a code may be pasted, corrected in its middle, and is refused in words",
    { tags: "thorough" },
    async () => {
      shell.standIn.state.codes.add("ABCDEFGHJKLM");
      const { page } = await shell.open("/", { paired: false });
      await code(page).fill("  abcd efgh jklx and more");
      expect(await code(page).inputValue()).toBe("ABCD-EFGH-JKLX");
      await pair(page).click();
      await page
        .getByRole("alert")
        .getByText("This code was not accepted")
        .waitFor();
      await code(page).press("End");
      await code(page).press("Backspace");
      await code(page).pressSequentially("m");
      await page.getByRole("alert").waitFor({ state: "detached" });
      await code(page).evaluate((field: HTMLInputElement) =>
        field.setSelectionRange(1, 1),
      );
      await code(page).press("Backspace");
      await code(page).pressSequentially("a");
      expect(await code(page).inputValue()).toBe("ABCD-EFGH-JKLM");
      await pair(page).click();
      await page.getByRole("heading", { name: "Home" }).waitFor();
    },
  );

  test("a link pairs after one click, and its code stays in no address", async () => {
    const secret = "q".repeat(26);
    shell.standIn.state.codes.add(secret);
    const { page } = await shell.open(`/pair#code=${secret}`, {
      paired: false,
    });
    await page.getByText("You opened a pairing link").waitFor();
    await page.waitForFunction(() => window.location.hash === "");
    expect(
      shell.standIn.state.requests.filter((request) =>
        request.startsWith("POST"),
      ),
    ).toEqual([]);
    await page
      .getByRole("textbox", { name: "Name of this browser" })
      .fill("My laptop");
    await pair(page).click();
    await page.getByRole("heading", { name: "Home" }).waitFor();
    expect(
      [...shell.standIn.state.sessions.values()].map(({ device }) => device),
    ).toContain("My laptop");
    expect(
      shell.standIn.state.requests.some((request) => request.includes(secret)),
    ).toBe(false);
  });

  test(
    "a link that was used asks for a code instead",
    { tags: "thorough" },
    async () => {
      const { page } = await shell.open("/pair#code=used", { paired: false });
      await pair(page).click();
      await page
        .getByRole("alert")
        .getByText("This link is no longer good")
        .waitFor();
      await code(page).waitFor();
    },
  );

  test(
    "too many tries: it says how long to wait, and disables the button until then",
    { tags: "thorough" },
    async () => {
      const { page } = await shell.open("/", { paired: false });
      await code(page).fill("TOOMANYTRIES");
      await pair(page).click();
      await page.getByText(/You can try again in 4[12] s/).waitFor();
      expect(
        await page.getByRole("button", { name: /^Wait 4\d s$/ }).isDisabled(),
      ).toBe(true);
    },
  );

  test("a link that is pasted in place of a code, or opened in a tab that is at the page already, is taken", async () => {
    const { page } = await shell.open("/pair", { paired: false });
    const code = page.getByRole("textbox", { name: "Code" });
    await code.waitFor();
    const field = await code.elementHandle();
    await code.fill("http://gantry.localhost:7420/pair#code=pasted");
    await page.getByText("You opened a pairing link").waitFor();
    await pair(page).click();
    await page.getByText("This link is no longer good").waitFor();
    expect(await field?.isVisible()).toBe(false);
    await page.evaluate(() => (location.hash = "#code=opened"));
    await page.getByText("You opened a pairing link").waitFor();
    await expect.poll(() => new URL(page.url()).hash).toBe("");
  });

  test("a session that is revoked leads to the pairing page at once, with the reason, and back", async () => {
    const { page } = await shell.open("/notes");
    await page.getByRole("button", { name: "Count 0" }).waitFor();
    shell.standIn.state.sessions.clear();
    shell.standIn.events.closeAll();
    await page.getByText("The session of this browser has ended").waitFor();
    expect(await page.getByText("Own classes").count()).toBe(0);
    shell.standIn.state.codes.add("ABCDEFGHJKLM");
    await code(page).fill("ABCDEFGHJKLM");
    await pair(page).click();
    await page.getByRole("button", { name: "Count 0" }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/notes");
  });

  test(
    "a refusal of any request leads there too",
    { tags: "thorough" },
    async () => {
      const { page } = await shell.open("/settings/about");
      await page.getByText("Folder").waitFor();
      shell.standIn.state.sessions.clear();
      await page.getByRole("link", { name: "Devices" }).click();
      await page.getByText("The session of this browser has ended").waitFor();
    },
  );

  test(
    "a browser that is paired already is told so",
    { tags: "thorough" },
    async () => {
      const { page } = await shell.open("/pair");
      await page
        .getByRole("heading", { name: "This browser is paired" })
        .waitFor();
      await page.getByRole("link", { name: "Open Gantry" }).click();
      await page.getByRole("heading", { name: "Home" }).waitFor();
    },
  );

  test(
    "a daemon that does not answer is waited for",
    { tags: "thorough" },
    async () => {
      const { page } = await shell.open("/", { paired: false });
      await page.route("**/api/auth/session", (route) => route.abort());
      await page.reload();
      await page.getByText("Gantry does not answer").waitFor();
      await page.unroute("**/api/auth/session");
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("heading", { name: "Pair this browser" }).waitFor();
    },
  );
});
