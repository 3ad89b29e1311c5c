import { chromiumPath } from "@gantry/plugin-testing/browser";
import { findBarriers } from "@gantry/ui-kit/testing";
import type { Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ItemChanged } from "../../src/contract.ts";
import { startBrowserInbox } from "../support/browser-inbox.ts";
import type { BrowserInbox } from "../support/browser-inbox.ts";
import { agentErrors, createFakeMessages } from "../support/messages.ts";
import type { FakeMessages } from "../support/messages.ts";
import {
  agentId,
  runFinished,
  turnCutOff,
  turnResumed,
} from "../support/sources.ts";

const SIZES = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
];

describe.skipIf(chromiumPath === undefined)(
  "turns that were cut off, in a browser",
  () => {
    let inbox: BrowserInbox;
    let messages: FakeMessages;

    beforeAll(async () => {
      messages = createFakeMessages();
      inbox = await startBrowserInbox([messages.plugin]);
    });
    afterAll(async () => {
      await (inbox as BrowserInbox | undefined)?.[Symbol.asyncDispose]();
    });

    const tell = (event: Parameters<BrowserInbox["tell"]>[0]) =>
      inbox.tell(event);
    const itemOf = (id: string) => inbox.itemOf(id);
    const focused = (place: Locator) =>
      expect
        .poll(() => place.evaluate((element) => element.matches(":focus")))
        .toBe(true);
    const NOTHING_LEFT = "Nothing is left to continue here.";

    test(
      "axe finds nothing, in light and dark, on a desk and on a phone",
      { tags: "thorough" },
      async () => {
        const own = await tell(
          turnCutOff({
            prompt:
              "Fix the failing tests of the parser.\n\nStart with the one about dates.",
          }),
        );
        const finished = runFinished({
          result: "failed",
          reason: "daemon-restarted",
          message: "The daemon stopped while the run was going.",
        });
        const ofRun = await tell(finished);
        const changed = inbox.kernel.events.next(ItemChanged);
        await inbox.emit(turnCutOff({ runId: finished.data.runId }));
        await changed;
        const { page } = await inbox.open("/inbox");
        const base = page.url();
        for (const [name, id] of Object.entries({ own, run: ofRun }))
          for (const size of SIZES)
            for (const colorScheme of ["light", "dark"] as const) {
              await page.setViewportSize(size);
              await page.emulateMedia({ colorScheme });
              await page.goto(new URL(`/inbox/${id}`, base).href);
              await page.getByRole("button", { name: "Continue" }).waitFor();
              const what = `${name}-${size.width}-${colorScheme}`;
              expect(
                await findBarriers(page, { within: "main" }),
                what,
              ).toEqual([]);
              const overflow = await page.evaluate(
                "document.documentElement.scrollWidth > innerWidth",
              );
              expect(overflow, what).toBe(false);
            }
        for (const id of [own, ofRun])
          await inbox.kernel.api.delete(`/api/inbox/${id}`);
        await page.close();
      },
    );

    test(
      "a key continues the turn, and the item is done when the conversation continues",
      { tags: "thorough" },
      async () => {
        const event = turnCutOff();
        const { turnId } = event.data;
        const id = await tell(event);
        const { page, faults } = await inbox.open("/inbox");
        const waiting = page.getByRole("region", { name: "Needs input" });
        await waiting.getByRole("link", { name: /Ada was cut off/ }).click();
        const link = page.getByRole("link", { name: "Conversation" });
        expect(await link.getAttribute("href")).toBe(`/agents/${agentId}`);

        await page
          .getByRole("article")
          .getByText("Fix the tests.", { exact: true })
          .waitFor();
        await page.keyboard.press("r");
        const button = page.getByRole("button", { name: "Continue" });
        await focused(button);
        await page.keyboard.press("Enter");
        await page
          .getByText("The agent continues as soon as it is free.")
          .waitFor();
        expect(messages.continued.at(-1)).toEqual({ agentId, turnId });
        expect((await itemOf(id)).state).toBe("read");

        await inbox.emit(turnResumed(turnId));
        await page.getByText(NOTHING_LEFT).waitFor();
        await button.waitFor({ state: "detached" });
        await focused(page.getByRole("region", { name: "Item" }));
        await waiting.waitFor({ state: "detached" });
        // What is settled is not opened again.
        expect(
          await page.getByRole("button", { name: "Not done" }).count(),
        ).toBe(0);
        expect(faults).toEqual([]);
        await page.close();
      },
    );

    test(
      "what keeps the agent from being started is shown with the way to its conversation",
      { tags: "thorough" },
      async () => {
        const id = await tell(turnCutOff());
        const { page } = await inbox.open(`/inbox/${id}`);
        const button = page.getByRole("button", { name: "Continue" });
        messages.refuse = agentErrors.AGENT_UNSUPPORTED({
          capability: "resume",
        });
        await button.click();
        await page
          .getByRole("alert")
          .getByText("It does not support resume.")
          .waitFor();
        const way = page.getByRole("link", { name: "Open the conversation" });
        expect(await way.getAttribute("href")).toBe(`/agents/${agentId}`);
        await button.click();
        await page
          .getByText("The agent continues as soon as it is free.")
          .waitFor();
        await page.getByRole("alert").waitFor({ state: "detached" });
        await page.close();
      },
    );

    test(
      "Continue says so when the conversation has already continued",
      { tags: "thorough" },
      async () => {
        const id = await tell(turnCutOff());
        const { page } = await inbox.open(`/inbox/${id}`);
        messages.refuse = agentErrors.TURN_NOT_CUT_OFF({ turnId: "trn" });
        await page.getByRole("button", { name: "Continue" }).click();
        await page.getByText(NOTHING_LEFT).waitFor();
        await expect.poll(async () => (await itemOf(id)).state).toBe("done");
        await page.close();
      },
    );

    test(
      "an item is marked as done without being continued",
      { tags: "thorough" },
      async () => {
        const id = await tell(turnCutOff());
        const { page } = await inbox.open(`/inbox/${id}`);
        await page.getByRole("button", { name: "Continue" }).waitFor();
        await page.keyboard.press("e");
        await expect.poll(async () => (await itemOf(id)).state).toBe("done");
        expect((await itemOf(id)).cutOff).toMatchObject({
          open: true,
          taskId: null,
        });
        await page.close();
      },
    );
  },
);
