import { chromiumPath, extendUndo } from "@gantry/plugin-testing/browser";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ItemChanged } from "../../src/contract.ts";
import { startBrowserInbox } from "../support/browser-inbox.ts";
import type { BrowserInbox } from "../support/browser-inbox.ts";
import { createFakeMessages } from "../support/messages.ts";
import type { FakeMessages } from "../support/messages.ts";
import { dialogClosed, dialogOpened, runFinished } from "../support/sources.ts";
import { tryLooks } from "./looks.ts";

describe.skipIf(chromiumPath === undefined)("the Inbox in a browser", () => {
  let inbox: BrowserInbox;
  let messages: FakeMessages;

  beforeAll(async () => {
    messages = createFakeMessages();
    inbox = await startBrowserInbox([messages.plugin]);
  });
  // Without a browser it was never there.
  afterAll(async () => {
    await (inbox as BrowserInbox | undefined)?.[Symbol.asyncDispose]();
  });

  const tell = (event: Parameters<BrowserInbox["tell"]>[0]) =>
    inbox.tell(event);
  const itemOf = (id: string) => inbox.itemOf(id);
  const row = (page: Page, id: string) => page.locator(`[data-item="${id}"]`);
  const pathOf = (page: Page) => new URL(page.url()).pathname;
  const focused = (place: Locator) =>
    expect
      .poll(() => place.evaluate((element) => element.matches(":focus")))
      .toBe(true);
  const run = (name: string) =>
    runFinished({ automationName: name, message: `About ${name}.` });

  // First, while the list is short: axe looks at every row.
  tryLooks(() => inbox);

  test(
    "keys go through the list: next, open, done, undo, unread",
    { tags: "thorough" },
    async () => {
      const ids = [
        await tell(run("Keys one")),
        await tell(run("Keys two")),
        await tell(run("Keys three")),
      ];
      const [one = "", two = "", three = ""] = ids;
      const { page, faults, stray } = await inbox.open("/inbox");
      await row(page, three).waitFor();

      await page.keyboard.press("j");
      await focused(row(page, three));
      await page.keyboard.press("j");
      await page.keyboard.press("k");
      await page.keyboard.press("j");
      await page.keyboard.press("Enter");
      await page.getByRole("article").getByText("About Keys two.").waitFor();
      expect(pathOf(page)).toBe(`/inbox/${two}`);
      await expect.poll(async () => (await itemOf(two)).state).toBe("read");

      // Beside an open item, the next one is opened with its key.
      await page.keyboard.press("j");
      await expect.poll(() => pathOf(page)).toBe(`/inbox/${one}`);
      await page.keyboard.press("k");
      await expect.poll(() => pathOf(page)).toBe(`/inbox/${two}`);

      await page.keyboard.press("e");
      await expect.poll(async () => (await itemOf(two)).state).toBe("done");
      await row(page, two).waitFor({ state: "detached" });
      await expect.poll(() => pathOf(page)).toBe(`/inbox/${one}`);
      await page.keyboard.press("z");
      await expect.poll(async () => (await itemOf(two)).state).toBe("read");
      await row(page, two).waitFor();

      await page.keyboard.press("u");
      await expect.poll(async () => (await itemOf(one)).state).toBe("unread");
      await page.keyboard.press("Escape");
      await expect.poll(() => pathOf(page)).toBe("/inbox");
      expect(faults).toEqual([]);
      expect(stray).toEqual([]);
      await page.close();
    },
  );

  // Chromium ignores interception that begins while it still commits the document.
  test(
    "a page that was opened is past the commit of its document, so that its requests can be held back",
    { tags: "thorough" },
    async () => {
      const { page } = await inbox.open("/inbox");
      const state = await page.evaluate("document.readyState");
      expect(["interactive", "complete"]).toContain(state);
      await page.close();
    },
  );

  test(
    "marking as unread wins over reading, however slow the daemon is",
    { tags: "thorough" },
    async () => {
      const [first, second] = [
        await tell(run("Slow to read")),
        await tell(run("Slow to come")),
      ];
      const { page } = await inbox.open("/inbox");
      const isUnread = (id: string) =>
        row(page, id).getByText("Unread.").waitFor({ state: "attached" });
      const asked: string[] = [];
      let release = () => {};
      const hold = new Promise<void>((resolve) => (release = resolve));
      await page.route(
        (url) =>
          url.pathname.endsWith("/state") ||
          url.pathname === `/api/inbox/${second}`,
        async (route) => {
          asked.push(route.request().postData() ?? "item");
          await hold;
          await route.continue();
        },
      );

      // Its reading is on the way to the daemon.
      await row(page, first).click();
      await page
        .getByRole("article")
        .getByText("About Slow to read.")
        .waitFor();
      await expect
        .poll(async () => [(await itemOf(first)).state, ...asked])
        .toEqual(["unread", '{"state":"read"}']);
      await row(page, first)
        .getByText("Unread.")
        .waitFor({ state: "detached" });
      await page.keyboard.press("u");
      await isUnread(first);

      // It is not even there to be read.
      await row(page, second).click();
      await expect.poll(() => asked).toContain("item");
      await page.keyboard.press("u");
      release();
      await page
        .getByRole("article")
        .getByText("About Slow to come.")
        .waitFor();
      await expect.poll(() => asked).toContain('{"state":"unread"}');
      await expect.poll(async () => (await itemOf(first)).revision).toBe(3);
      expect((await itemOf(first)).state).toBe("unread");
      expect((await itemOf(second)).state).toBe("unread");
      await isUnread(second);

      // The next time it is opened it is read as any other.
      await page.keyboard.press("Escape");
      await row(page, second).click();
      await expect.poll(async () => (await itemOf(second)).state).toBe("read");
      await page.close();
    },
  );

  test("what waits stands first, is answered with a button, and the badge follows", async () => {
    const event = dialogOpened({ title: "Remove the build folder" });
    const id = await tell(event);
    await tell(run("Newer than the question"));
    const { page } = await inbox.open("/inbox");
    const waiting = page.getByRole("region", { name: "Needs input" });
    await waiting
      .getByRole("link", { name: /Remove the build folder/ })
      .click();
    await page.getByRole("link", { name: /^Inbox .*1 needs input/ }).waitFor();

    await page.keyboard.press("e");
    await page
      .getByText("This one waits for an answer", { exact: true })
      .waitFor();
    expect((await itemOf(id)).state).not.toBe("done");

    await page.keyboard.press("r");
    await focused(page.getByRole("button", { name: "Allow once" }));
    await page.keyboard.press("Enter");
    await page.getByText("Answered: Allow once").waitFor();
    // The button is gone, so that the item has the focus for the next key.
    await focused(page.getByRole("region", { name: "Item" }));
    expect(messages.answers.at(-1)).toMatchObject({
      dialogId: event.data.id,
      optionId: "yes",
    });
    await waiting.waitFor({ state: "detached" });
    await page
      .getByRole("link", { name: /^Inbox .*waits? for you/ })
      .waitFor({ state: "detached" });
    await page.close();
  });

  test(
    "a reply to an item that is still on its way begins as soon as it is there",
    { tags: "thorough" },
    async () => {
      const id = await tell(dialogOpened({ title: "Slow to be answered" }));
      const { page } = await inbox.open("/inbox");
      await row(page, id).waitFor();
      let release = () => {};
      const hold = new Promise<void>((resolve) => (release = resolve));
      await page.route(
        (url) => url.pathname === `/api/inbox/${id}`,
        async (route) => {
          await hold;
          await route.continue();
        },
      );
      await row(page, id).click();
      await expect.poll(() => pathOf(page)).toBe(`/inbox/${id}`);
      await page.keyboard.press("r");
      release();
      await focused(page.getByRole("button", { name: "Allow once" }));
      await page.close();
    },
  );

  test(
    "a question is answered in words, and one that is answered elsewhere closes by itself",
    { tags: "thorough" },
    async () => {
      const words = dialogOpened({
        kind: "question",
        title: "Which name?",
        takesText: true,
        options: [],
      });
      const elsewhere = dialogOpened({ title: "Push the branch" });
      const id = await tell(words);
      const other = await tell(elsewhere);
      const { page } = await inbox.open(`/inbox/${id}`);
      await page.getByLabel("Your answer").fill("gantry");
      await page.keyboard.press("Control+Enter");
      await page.getByText("Answered: gantry").waitFor();
      expect(messages.answers.at(-1)).toMatchObject({ value: "gantry" });

      await row(page, other).click();
      await page.getByRole("button", { name: "Reject" }).waitFor();
      await inbox.emit(dialogClosed(elsewhere.data.id, "Allow once"));
      await page.getByText("Answered: Allow once").waitFor();
      await page.close();
    },
  );

  test(
    "a refusal is shown where the answer was given, and nothing is lost",
    { tags: "thorough" },
    async () => {
      const id = await tell(
        dialogOpened({
          kind: "question",
          title: "Which port?",
          takesText: true,
          options: [],
        }),
      );
      const { page } = await inbox.open(`/inbox/${id}`);
      await page.getByLabel("Your answer").fill("7420");
      messages.refuse = new Error("The agents plugin broke.");
      inbox.kernel.expectFault(/The agents plugin broke/);
      await page.getByRole("button", { name: "Send answer" }).click();
      await page.getByRole("alert").waitFor();
      expect(await page.getByLabel("Your answer").inputValue()).toBe("7420");
      await page.getByRole("button", { name: "Send answer" }).click();
      await page.getByText("Answered: 7420").waitFor();
      await page.close();
    },
  );

  test("a reply goes to the agent", { tags: "thorough" }, async () => {
    const id = await tell(run("Worth a reply"));
    const { page } = await inbox.open("/inbox");
    await row(page, id).focus();
    await page.keyboard.press("r");
    await focused(page.getByLabel("Reply to the agent"));
    const conversation = page.getByRole("link", { name: "Conversation" });
    const { run: ran, agentId } = await itemOf(id);
    expect(await conversation.getAttribute("href")).toBe(
      `/agents/${agentId}?run=${ran?.id}`,
    );
    await page.keyboard.type("And now the docs.");
    await page.keyboard.press("Control+Enter");
    await page.getByText("Queued", { exact: true }).waitFor();
    expect(messages.prompts.at(-1)).toMatchObject({
      message: "And now the docs.",
      kind: "follow_up",
    });
    expect(await page.getByLabel("Reply to the agent").inputValue()).toBe("");
    await page.close();
  });

  test(
    "a deleted item comes back with undo, and is gone when the page is left",
    { tags: "thorough" },
    async () => {
      const id = await tell(run("To be deleted"));
      const { page } = await inbox.open(`/inbox/${id}`);
      await extendUndo(page);
      await page.getByRole("button", { name: "Delete" }).click();
      await row(page, id).waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Undo" }).click();
      await row(page, id).click();
      await page.getByRole("heading", { name: "To be deleted" }).waitFor();
      await page.keyboard.press("#");
      await row(page, id).waitFor({ state: "detached" });
      expect((await inbox.kernel.api.get(`/api/inbox/${id}`)).status).toBe(200);
      await page.getByRole("link", { name: "Home" }).first().click();
      await expect
        .poll(
          async () => (await inbox.kernel.api.get(`/api/inbox/${id}`)).status,
        )
        .toBe(404);
      await page.goto(new URL(`/inbox/${id}`, page.url()).href);
      await page.getByText("This item is gone").waitFor();
      await page.close();
    },
  );

  test(
    "what comes while the page is open shows up, and repeated failures are counted",
    { tags: "thorough" },
    async () => {
      const { page } = await inbox.open("/inbox?view=unread&kind=notice");
      await page.getByText("No notices here").waitFor();
      const failure = () =>
        runFinished({
          automationName: "Live",
          result: "failed",
          reason: "timeout",
          message: "2 h",
        });
      const id = await tell(failure());
      await row(page, id).waitFor();
      const changed = inbox.kernel.events.next(ItemChanged);
      await inbox.emit(failure());
      await changed;
      await page.getByText("×2").waitFor();
      await page.getByRole("button", { name: "Done", exact: true }).click();
      await page.waitForURL(/view=done/);
      await row(page, id).waitFor({ state: "detached" });
      await page.close();
    },
  );

  test(
    "on a phone the list and an item are two steps",
    { tags: "thorough" },
    async () => {
      const id = await tell(run("On a phone"));
      const { page } = await inbox.open("/inbox", "phone");
      await row(page, id)
        .tap()
        .catch(() => row(page, id).click());
      await page.getByRole("article").getByText("About On a phone.").waitFor();
      expect(await row(page, id).isVisible()).toBe(false);
      await page.getByRole("link", { name: "Back to the Inbox" }).click();
      await row(page, id).waitFor();
      const overflow = await page.evaluate(
        "document.documentElement.scrollWidth > innerWidth",
      );
      expect(overflow).toBe(false);
      await page.close();
    },
  );
});
