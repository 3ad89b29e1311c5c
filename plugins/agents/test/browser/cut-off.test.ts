import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findBarriers } from "@gantry/ui-kit/testing";
import { expect, onTestFinished } from "vitest";
import type { Agent } from "../../ui/wire.ts";
import { browserTest, useHouse } from "./support/browser-test.ts";
import { useConversationPage } from "./support/conversation-page.ts";

// A turn that a stop of the daemon cut off is seen in the conversation and wherever agents are listed, until the user
// continues it.

const house = useHouse();
const { composer, feed, say } = useConversationPage(house);

const page = () => house().page;
const row = () =>
  page().getByRole("group", { name: "The daemon stopped during this turn." });
const button = () => row().getByRole("button", { name: "Continue" });
const mark = (agent: Agent) =>
  page()
    .getByRole("navigation")
    .getByRole("link", { name: new RegExp(`${agent.name}.*cut off`) });
const isFocused = (locator: ReturnType<typeof composer>) =>
  locator.evaluate((element) => element === document.activeElement);

/** Restarts the daemon during a turn of an agent whose page is open. Requests of the page fail meanwhile. */
async function cutOff(fields: Partial<Agent> & { name: string }) {
  const agent = await house().createAgent(fields);
  await house().open(agent.id);
  await say("[[reply:ready]]");
  await feed().getByText("ready", { exact: true }).waitFor();
  await say("[[reply:so far]][[run:sleep 300]]");
  await expect
    .poll(async () => (await house().read(agent.id)).activity)
    .toBe("working");
  await feed().getByText("so far", { exact: true }).waitFor();
  await house().restart();
  expect((await house().read(agent.id)).cutOff).not.toBeNull();
  await row().waitFor();
  house().visitor.faults.length = 0;
  return agent;
}

/** Waits until the conversation has continued and the mark is gone. */
async function expectContinued(agent: Agent): Promise<void> {
  await feed()
    .getByText(/^The Gantry daemon stopped while you worked/)
    .first()
    .waitFor();
  await button().waitFor({ state: "detached" });
  await mark(agent).waitFor({ state: "detached" });
  expect((await house().read(agent.id)).cutOff).toBeNull();
  // What happened stays in the conversation.
  await row().locator("time").waitFor();
}

browserTest(
  "a turn that was cut off is continued with one button",
  { tags: "thorough" },
  async () => {
    const agent = await cutOff({ name: "Continues" });
    // It comes up while the page is open, and leaves the keyboard to the composer.
    await expect.poll(() => isFocused(composer())).toBe(true);
    expect(await composer().inputValue()).toBe("");
    await page()
      .getByRole("status")
      .filter({ hasText: "The daemon stopped during this turn." })
      .waitFor({ state: "attached" });
    await mark(agent).waitFor();
    const { at } = (await house().read(agent.id)).cutOff!;
    const told = await row().locator("time").getAttribute("datetime");
    expect(Math.abs(Date.parse(told ?? "") - Date.parse(at))).toBeLessThan(
      5_000,
    );
    expect(await findBarriers(page())).toEqual([]);

    await house().open(agent.id);
    await button().waitFor();
    await expect.poll(() => isFocused(composer())).toBe(true);
    for (let steps = 0; steps < 20 && !(await isFocused(button())); steps += 1)
      await page().keyboard.press("Shift+Tab");
    expect(await isFocused(button())).toBe(true);
    await page().keyboard.press("Enter");
    await expectContinued(agent);
    await expect.poll(() => isFocused(composer())).toBe(true);
    expect(await findBarriers(page())).toEqual([]);

    await page().reload();
    await row().waitFor();
    expect(await button().count()).toBe(0);
    house().expectPeace();
  },
);

browserTest(
  "any message continues the conversation, and removes the button",
  { tags: "thorough" },
  async () => {
    const agent = await cutOff({ name: "Talks on" });
    await button().waitFor();
    await say("[[reply:never mind]]");
    await feed().getByText("never mind", { exact: true }).waitFor();
    await button().waitFor({ state: "detached" });
    await mark(agent).waitFor({ state: "detached" });
    await row().waitFor();
    house().expectPeace();
  },
);

browserTest(
  "lists and the start page mark an agent that is cut off",
  { tags: "thorough" },
  async () => {
    const cut = await cutOff({ name: "Marked" });
    const other = await house().createAgent({ name: "Open beside it" });
    await house().prompt(other.id, "[[reply:here]]");
    await expect
      .poll(async () => (await house().read(other.id)).lastMessage)
      .toBe("here");

    await page().goto(house().daemon.url);
    const card = page().getByRole("list", { name: "Agents", exact: true });
    const shown = card.getByRole("listitem").filter({ hasText: "Marked" });
    await shown.getByText("Cut off", { exact: true }).waitFor();
    await card.getByText("Open beside it").waitFor();
    expect(await findBarriers(page())).toEqual([]);

    await page().goto(`${house().daemon.url}/agents`);
    const group = page().getByRole("list", { name: "Cut off" });
    await group.getByRole("link", { name: "Marked" }).waitFor();
    await page().getByText("Cut off", { exact: true }).first().click();
    await page()
      .getByRole("main")
      .getByText("Open beside it")
      .waitFor({ state: "detached" });
    expect(
      await page().getByRole("radio", { name: "Cut off" }).isChecked(),
    ).toBe(true);
    await group.getByRole("link", { name: "Marked" }).waitFor();
    expect(await findBarriers(page())).toEqual([]);

    // Continued elsewhere, it is marked no longer.
    await house().prompt(cut.id, "[[reply:on it goes]]");
    await group
      .getByRole("link", { name: "Marked" })
      .waitFor({ state: "detached" });
    house().expectPeace();
  },
);

browserTest(
  "a refusal says why, and the turn can be continued later",
  { tags: "thorough" },
  async () => {
    const agent = await cutOff({ name: "Refused" });
    const away = `${agent.cwd}-away`;
    await rename(agent.cwd, away);
    await button().click();
    const alert = row().getByRole("alert");
    await alert.getByText(agent.cwd).waitFor();
    await expect.poll(() => isFocused(button())).toBe(true);
    expect(await findBarriers(page())).toEqual([]);
    // The refusal is what was wanted.
    house().visitor.faults.length = 0;

    await rename(away, agent.cwd);
    await button().click();
    await expectContinued(agent);
    expect(await alert.count()).toBe(0);
    house().expectPeace();
  },
);

browserTest(
  "a folder that is not trusted is asked about, then it continues",
  { tags: "thorough" },
  async () => {
    const agent = await cutOff({ name: "Distrusted", cli: "standin" });
    await mkdir(join(agent.cwd, ".pi"));
    await writeFile(join(agent.cwd, ".pi", "settings.json"), "{}");
    await button().click();
    const card = page().getByRole("alert", { name: "Trust this folder?" });
    const trust = card.getByRole("button", { name: "Trust and continue" });
    await trust.waitFor();
    expect(await row().getByRole("alert").count()).toBe(0);
    await button().waitFor();
    expect(await findBarriers(page())).toEqual([]);
    house().visitor.faults.length = 0;

    await trust.click();
    await expectContinued(agent);
    await expect.poll(() => isFocused(composer())).toBe(true);
    expect(await card.count()).toBe(0);
    house().expectPeace();
  },
);

browserTest(
  "a continuation that waits says so, on a small screen too",
  { tags: "thorough" },
  async () => {
    const agent = await cutOff({ name: "Waits" });
    const isAgent = (url: URL) => url.pathname === `/api/agents/${agent.id}`;
    await page().route(isAgent, async (route) => {
      const view = await house().read(agent.id);
      const continued = view.cutOff && { ...view.cutOff, continuedBy: "tsk_1" };
      await route.fulfill({ json: { ...view, cutOff: continued } });
    });
    onTestFinished(() => page().setViewportSize({ width: 1280, height: 720 }));
    await page().setViewportSize({ width: 390, height: 844 });
    await house().open(agent.id);
    await row().getByText("Continuing…").waitFor();
    expect(await button().count()).toBe(0);
    expect(await findBarriers(page())).toEqual([]);
    await page().unroute(isAgent);

    await page().reload();
    await button().waitFor();
    const width = () =>
      page().evaluate(() => document.documentElement.scrollWidth);
    expect(await width()).toBe(390);
    expect(await findBarriers(page())).toEqual([]);
    house().expectPeace();
  },
);
