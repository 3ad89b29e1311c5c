import { expect } from "vitest";
import { browserTest, useBrowserStage } from "./support/browser-test.ts";
import { useConversationPage } from "./support/conversation-page.ts";
import { findBarriers } from "@gantry/ui-kit/testing";
import { readConversation } from "./support/browser-stage.ts";

const stage = useBrowserStage();
const { composer, feed, say } = useConversationPage(stage);

/** Waits until the turn has ended. */
async function turnEnd(): Promise<void> {
  await stage()
    .page.getByRole("button", { name: "Stop" })
    .waitFor({ state: "detached" });
}

browserTest("a new user creates an agent and talks to it", async () => {
  const { page, daemon } = stage();
  await page.goto(daemon.url);
  await page.getByRole("link", { name: "New agent" }).first().click();
  await page.getByRole("textbox", { name: /^Name/ }).fill("First");
  expect(await findBarriers(page)).toEqual([]);
  await page.getByRole("button", { name: "Create agent" }).click();
  await page.getByText("This is the practice agent").waitFor();

  await say(
    "[[think:Let me see.]][[run:printf 'one\\ntwo']][[reply:**Two** lines.]][[cost:0.25]]",
  );
  await feed().getByText("$0.25").waitFor();
  expect(await feed().locator("strong").innerText()).toBe("Two");
  await feed()
    .getByRole("button", { name: /^Ran printf/ })
    .click();
  await feed().getByText("one\ntwo", { exact: true }).waitFor();
  expect(await composer().inputValue()).toBe("");
  expect(await findBarriers(page)).toEqual([]);

  await turnEnd();
  const before = await readConversation(page);
  await page.reload();
  await feed().getByText("$0.25").waitFor();
  await feed()
    .getByRole("button", { name: /^Ran printf/ })
    .click();
  await feed().getByText("one\ntwo", { exact: true }).waitFor();
  expect(await readConversation(page)).toBe(before);
  stage().expectNoFaults();
});

browserTest(
  "an answer is shown while it is streamed, and Esc twice stops it",
  async () => {
    const { page } = stage();
    const agent = await stage().createAgent({ name: "Streams" });
    await stage().open(agent.id);
    await say("[[long:3000:10]]");
    await feed().getByText("word20 ").waitFor();
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await composer().press("Escape");
    await page.getByText("again to stop the turn").waitFor();
    await composer().press("Escape");
    await page
      .getByRole("button", { name: "Stop" })
      .waitFor({ state: "detached" });
    stage().expectNoFaults();
  },
);

browserTest(
  "a message sent during a turn is queued, and can be edited again",
  async () => {
    const { page } = stage();
    const agent = await stage().createAgent({ name: "Queues" });
    await stage().prompt(agent.id, "[[long:3000:10]]");
    await stage().open(agent.id);
    await feed().getByText("word5 ").waitFor();
    await composer().fill("one more thing");
    await page.getByRole("button", { name: "Send after this turn" }).click();
    await say("[[reply:and another]]");
    const queued = page.getByRole("list", { name: "Queued messages" });
    await queued.getByText("and another").waitFor();
    await queued
      .getByRole("listitem")
      .filter({ hasText: "one more thing" })
      .getByRole("button", { name: "Edit queued message" })
      .click();
    await expect.poll(() => composer().inputValue()).toBe("one more thing");
    await page.getByRole("button", { name: "Stop" }).click();
    await feed().getByText("and another", { exact: true }).waitFor();
    expect(await feed().getByText("one more thing").count()).toBe(0);
    stage().expectNoFaults();
  },
);

browserTest(
  "a CLI that supports steering gets a message during its turn",
  async () => {
    const { page } = stage();
    const agent = await stage().createAgent({ name: "Steers", cli: "standin" });
    await stage().open(agent.id);
    await say("[[sleep:60000]]");
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await composer().fill("[[reply:turned]]");
    await page.getByRole("button", { name: "Send after this turn" }).waitFor();
    await page.getByRole("button", { name: "Send now" }).click();
    await feed().getByText("added to the running turn").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    stage().expectNoFaults();
  },
);

browserTest("a draft is kept until it is sent", async () => {
  const { page } = stage();
  const agent = await stage().createAgent({ name: "Drafts" });
  await stage().open(agent.id);
  await composer().fill("half a thought");
  await page.reload();
  await composer().waitFor();
  expect(await composer().inputValue()).toBe("half a thought");
  await composer().press("Shift+Enter");
  await composer().press("End");
  await composer().pressSequentially("and the turnEnd");
  expect(await composer().inputValue()).toContain("\n");
  await composer().press("Enter");
  await feed().getByText("practice: ").waitFor();
  await page.reload();
  await composer().waitFor();
  expect(await composer().inputValue()).toBe("");
  stage().expectNoFaults();
});

browserTest("a message can have up to four images", async () => {
  const { page } = stage();
  const agent = await stage().createAgent({ name: "Sees" });
  await stage().open(agent.id);
  const buffer = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  const picture = (name: string, mimeType = "image/png") => ({
    name,
    mimeType,
    buffer,
  });
  const input = page.locator('input[type="file"][multiple]');
  await input.setInputFiles([
    picture("a.png"),
    picture("b.svg", "image/svg+xml"),
  ]);
  await page
    .getByText("Only PNG, JPEG, GIF and WebP images can be attached.")
    .waitFor();
  await input.setInputFiles(
    ["b", "c", "d", "e"].map((name) => picture(`${name}.png`)),
  );
  await page.getByText("up to 4 images").waitFor();
  await page.getByRole("button", { name: "Remove a.png" }).click();
  await say("Look at these");
  await feed().getByText("(with 3 pictures)").waitFor();
  await feed().getByText("with 3 images", { exact: true }).waitFor();
  stage().expectNoFaults();
});

browserTest(
  "a folder with configuration has to be trusted before anything runs",
  async () => {
    const { page, folder } = stage();
    const { mkdir, writeFile } = await import("node:fs/promises");
    const cwd = `${folder}/project`;
    await mkdir(`${cwd}/.pi`, { recursive: true });
    await writeFile(`${cwd}/.pi/settings.json`, "{}");
    const agent = await stage().createAgent({
      name: "Trusts",
      cli: "standin",
      cwd,
    });
    await stage().open(agent.id);
    await say("hello");
    const card = page.getByRole("alert", { name: "Trust this folder?" });
    await card.getByText(".pi/settings.json").waitFor();
    expect((await stage().read(agent.id)).state).toBe("closed");
    await card.getByRole("button", { name: "Trust and send" }).click();
    await feed().getByText("ok: hello").waitFor();
    expect(await composer().inputValue()).toBe("");
    // The first refusal is expected.
    const others = stage().visitor.faults.filter(
      (fault) => !fault.includes("409"),
    );
    expect(others).toEqual([]);
    stage().visitor.faults.length = 0;
  },
);

browserTest(
  "the page reconnects to a restarted daemon, with the whole conversation",
  async () => {
    const { page } = stage();
    const agent = await stage().createAgent({ name: "Survives" });
    await stage().open(agent.id);
    await say("[[reply:before]]");
    await feed().getByText("before", { exact: true }).waitFor();
    await stage().restart();
    await stage().prompt(agent.id, "[[reply:after]]");
    await feed().getByText("after", { exact: true }).waitFor();
    await say("[[reply:and on]]");
    await feed().getByText("and on", { exact: true }).waitFor();
    await turnEnd();
    const before = await readConversation(page);
    await page.reload();
    await feed().getByText("and on", { exact: true }).waitFor();
    expect(await readConversation(page)).toBe(before);
    // Requests failed during the restart.
    stage().visitor.faults.length = 0;
  },
);

browserTest("a name is edited in place, and an agent is deleted", async () => {
  const { page } = stage();
  const agent = await stage().createAgent({ name: "Old name" });
  await stage().open(agent.id);
  await page.getByRole("button", { name: "Old name, rename" }).click();
  await page
    .getByRole("textbox", { name: "Name", exact: true })
    .fill("New name");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "New name, rename" }).waitFor();
  await page.getByRole("button", { name: "Delete agent" }).click();
  await page.getByText("Delete its own folder").waitFor();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.waitForURL("**/agents");
  await expect
    .poll(() => page.getByRole("main").getByText("New name").count())
    .toBe(0);
  stage().expectNoFaults();
});

browserTest(
  "an agent that does not exist is reported, with the way to all agents",
  async () => {
    const { page, daemon } = stage();
    for (const tab of ["", "/files"]) {
      await page.goto(`${daemon.url}/agents/agt_unknown${tab}`);
      await page.getByText("Agent not found").waitFor();
      expect(await findBarriers(page)).toEqual([]);
      await page.getByRole("link", { name: "All agents" }).click();
      await page.waitForURL("**/agents");
    }
    // Requests for it were answered with 404.
    stage().visitor.faults.length = 0;
  },
);
