import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findBarriers } from "@gantry/ui-kit/testing";
import { expect, onTestFinished } from "vitest";
import type { Agent } from "../../ui/wire.ts";
import { browserTest, useBrowserStage } from "./support/browser-test.ts";
import { useConversationPage } from "./support/conversation-page.ts";

// A turn that a stop of the daemon cut off is marked in the conversation and in all lists of agents until the user continues
// it.

const stage = useBrowserStage();
const { composer, feed, say } = useConversationPage(stage);

const page = () => stage().page;
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
  const agent = await stage().createAgent(fields);
  await stage().open(agent.id);
  await say("[[reply:ready]]");
  await feed().getByText("ready", { exact: true }).waitFor();
  await say("[[reply:so far]][[run:sleep 300]]");
  await expect
    .poll(async () => (await stage().read(agent.id)).activity)
    .toBe("working");
  await feed().getByText("so far", { exact: true }).waitFor();
  await stage().restart();
  expect((await stage().read(agent.id)).cutOff).not.toBeNull();
  await row().waitFor();
  stage().visitor.faults.length = 0;
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
  // The page shows at once what the daemon records when the turn begins.
  await expect
    .poll(async () => (await stage().read(agent.id)).cutOff)
    .toBeNull();
  // The entry stays in the conversation.
  await row().locator("time").waitFor();
}

browserTest(
  "a turn that was cut off is continued with one button",
  async () => {
    const agent = await cutOff({ name: "Continues" });
    // The row appears while the page is open, and the composer keeps the focus.
    await expect.poll(() => isFocused(composer())).toBe(true);
    expect(await composer().inputValue()).toBe("");
    await page()
      .getByRole("status")
      .filter({ hasText: "The daemon stopped during this turn." })
      .waitFor({ state: "attached" });
    await mark(agent).waitFor();
    const { at } = (await stage().read(agent.id)).cutOff!;
    const shownAt = await row().locator("time").getAttribute("datetime");
    expect(Math.abs(Date.parse(shownAt ?? "") - Date.parse(at))).toBeLessThan(
      60_000,
    );
    expect(await findBarriers(page())).toEqual([]);

    await stage().open(agent.id);
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
    stage().expectNoFaults();
  },
);

browserTest("any other message removes the button", async () => {
  const agent = await cutOff({ name: "Talks on" });
  await button().waitFor();
  await say("[[reply:never mind]]");
  await feed().getByText("never mind", { exact: true }).waitFor();
  await button().waitFor({ state: "detached" });
  await mark(agent).waitFor({ state: "detached" });
  await row().waitFor();
  stage().expectNoFaults();
});

browserTest(
  "lists and the home page mark an agent that was cut off",
  async () => {
    const cut = await cutOff({ name: "Marked" });
    const other = await stage().createAgent({ name: "Open beside it" });
    await stage().prompt(other.id, "[[reply:here]]");
    await expect
      .poll(async () => (await stage().read(other.id)).lastMessage)
      .toBe("here");

    await page().goto(stage().daemon.url);
    const card = page().getByRole("list", { name: "Agents", exact: true });
    const shown = card.getByRole("listitem").filter({ hasText: "Marked" });
    await shown.getByText("Cut off", { exact: true }).waitFor();
    await card.getByText("Open beside it").waitFor();
    expect(await findBarriers(page())).toEqual([]);

    await page().goto(`${stage().daemon.url}/agents`);
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

    // Continued by another client, it is no longer marked.
    await stage().prompt(cut.id, "[[reply:on it goes]]");
    await group
      .getByRole("link", { name: "Marked" })
      .waitFor({ state: "detached" });
    stage().expectNoFaults();
  },
);

browserTest(
  "a refused continuation shows the reason, and works later",
  async () => {
    const agent = await cutOff({ name: "Refused" });
    const away = `${agent.cwd}-away`;
    await rename(agent.cwd, away);
    await button().click();
    const alert = row().getByRole("alert");
    await alert.getByText(agent.cwd).waitFor();
    await expect.poll(() => isFocused(button())).toBe(true);
    expect(await findBarriers(page())).toEqual([]);
    // The refusal is expected.
    stage().visitor.faults.length = 0;

    await rename(away, agent.cwd);
    await button().click();
    await expectContinued(agent);
    expect(await alert.count()).toBe(0);
    stage().expectNoFaults();
  },
);

browserTest("a turn continues once its folder is trusted", async () => {
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
  stage().visitor.faults.length = 0;

  await trust.click();
  await expectContinued(agent);
  await expect.poll(() => isFocused(composer())).toBe(true);
  expect(await card.count()).toBe(0);
  stage().expectNoFaults();
});

browserTest(
  "a pending continuation is shown, on a small screen too",
  async () => {
    const agent = await cutOff({ name: "Waits" });
    const isAgent = (url: URL) => url.pathname === `/api/agents/${agent.id}`;
    await page().route(isAgent, async (route) => {
      const view = await stage().read(agent.id);
      const continued = view.cutOff && { ...view.cutOff, continuedBy: "tsk_1" };
      await route.fulfill({ json: { ...view, cutOff: continued } });
    });
    onTestFinished(() => page().setViewportSize({ width: 1280, height: 720 }));
    await page().setViewportSize({ width: 390, height: 844 });
    await stage().open(agent.id);
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
    stage().expectNoFaults();
  },
);
