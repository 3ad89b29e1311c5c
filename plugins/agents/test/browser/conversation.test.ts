import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { browserTest, useHouse } from "./support/browser-test.ts";
import { useConversationPage } from "./support/conversation-page.ts";
import { findBarriers } from "@gantry/ui-kit/testing";
import { readConversation } from "./support/house.ts";
import { makeHistory, writeTranscript } from "./support/transcript.ts";

const house = useHouse();
const { composer, feed, say } = useConversationPage(house);

/** Waits for the end of the turn. */
async function rest(): Promise<void> {
  await house()
    .page.getByRole("button", { name: "Stop" })
    .waitFor({ state: "detached" });
}

browserTest("a newcomer makes an agent and talks to it", async () => {
  const { page, daemon } = house();
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

  await rest();
  const before = await readConversation(page);
  await page.reload();
  await feed().getByText("$0.25").waitFor();
  await feed()
    .getByRole("button", { name: /^Ran printf/ })
    .click();
  await feed().getByText("one\ntwo", { exact: true }).waitFor();
  expect(await readConversation(page)).toBe(before);
  house().expectPeace();
});

browserTest("the page of an agent is fetched before it is opened", async () => {
  const { page, daemon } = house();
  await house().createAgent({ name: "Preloaded" });
  const fetched = page.waitForResponse(/\/AgentPage-/);
  await page.goto(daemon.url);
  expect((await fetched).status()).toBe(200);
  house().expectPeace();
});

browserTest(
  "the end of a conversation is asked for before what stands beside it, and read to its end",
  async () => {
    const { page, daemon } = house();
    const { id } = await house().createAgent({ name: "Opens" });
    await writeTranscript(daemon.home, id, makeHistory(1_000));
    const base = `${daemon.url}/api/agents/${id}`;
    const asked: string[] = [];
    const brokenOff: string[] = [];
    page.on("request", (request) => {
      if (request.url().startsWith(base))
        asked.push(request.url().slice(base.length));
    });
    page.on("requestfailed", (request) => brokenOff.push(request.url()));
    await house().open(id);
    await feed().getByText("Question 199", { exact: true }).waitFor();
    // What happens from here on is joined to what was read, of which the newest entries are read again.
    const again = "/messages?limit=20";
    await expect.poll(() => asked).toContain(again);
    expect(asked.slice(0, 2)).toEqual(["", "/messages?limit=100"]);
    expect(asked.indexOf("/stream")).toBeLessThan(asked.indexOf(again));
    expect(asked.filter((path) => path.startsWith("/messages?"))).toHaveLength(
      2,
    );
    expect(brokenOff.filter((url) => url.includes("/messages"))).toEqual([]);
    house().expectPeace();
  },
);

browserTest(
  "an answer is seen while it is written, and Esc twice stops it",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    const agent = await house().createAgent({ name: "Streams" });
    await house().open(agent.id);
    await say("[[long:3000:10]]");
    await feed().getByText("word20 ").waitFor();
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await composer().press("Escape");
    await page.getByText("once more stops the turn").waitFor();
    await composer().press("Escape");
    await page
      .getByRole("button", { name: "Stop" })
      .waitFor({ state: "detached" });
    house().expectPeace();
  },
);

browserTest(
  "what is written during a turn waits for it, and can be taken back",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    const agent = await house().createAgent({ name: "Queues" });
    await house().prompt(
      agent.id,
      "[[run:until [ -e go ]; do sleep 0.05; done]]",
    );
    await house().open(agent.id);
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await composer().fill("one more thing");
    await page.getByRole("button", { name: "Send after this turn" }).click();
    await say("[[reply:and another]]");
    const waiting = page.getByRole("list", { name: "Waiting messages" });
    await waiting.getByText("and another").waitFor();
    await waiting
      .getByRole("listitem")
      .filter({ hasText: "one more thing" })
      .getByRole("button", { name: "Take it back and edit it" })
      .click();
    await expect.poll(() => composer().inputValue()).toBe("one more thing");
    await writeFile(join(agent.cwd, "go"), "");
    await feed().getByText("and another", { exact: true }).waitFor();
    expect(await feed().getByText("one more thing").count()).toBe(0);
    house().expectPeace();
  },
);

browserTest(
  "a CLI that can be steered takes words into its turn",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    const agent = await house().createAgent({ name: "Steers", cli: "standin" });
    await house().open(agent.id);
    await say("[[sleep:60000]]");
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await composer().fill("[[reply:turned]]");
    await page.getByRole("button", { name: "Send after this turn" }).waitFor();
    await page.getByRole("button", { name: "Send now" }).click();
    await feed().getByText("into the running turn").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    house().expectPeace();
  },
);

browserTest(
  "a draft is kept until it is sent",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    const agent = await house().createAgent({ name: "Drafts" });
    await house().open(agent.id);
    await composer().fill("half a thought");
    await page.reload();
    await composer().waitFor();
    expect(await composer().inputValue()).toBe("half a thought");
    await composer().press("Shift+Enter");
    await composer().press("End");
    await composer().pressSequentially("and the rest");
    expect(await composer().inputValue()).toContain("\n");
    await composer().press("Enter");
    await feed().getByText("practice: ").waitFor();
    await page.reload();
    await composer().waitFor();
    expect(await composer().inputValue()).toBe("");
    house().expectPeace();
  },
);

browserTest(
  "pictures go with a message, four at most",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    const agent = await house().createAgent({ name: "Sees" });
    await house().open(agent.id);
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
    await page.getByText("b.svg is no PNG, JPEG, GIF or WebP.").waitFor();
    await input.setInputFiles(
      ["b", "c", "d", "e"].map((name) => picture(`${name}.png`)),
    );
    await page.getByText("at most 4 pictures").waitFor();
    await page.getByRole("button", { name: "Remove a.png" }).click();
    await say("Look at these");
    await feed().getByText("(with 3 pictures)").waitFor();
    await feed().getByText("with 3 pictures", { exact: true }).waitFor();
    house().expectPeace();
  },
);

browserTest(
  "a folder that brings configuration is asked for before anything runs",
  { tags: "thorough" },
  async () => {
    const { page, folder } = house();
    const { mkdir, writeFile } = await import("node:fs/promises");
    const cwd = `${folder}/project`;
    await mkdir(`${cwd}/.pi`, { recursive: true });
    await writeFile(`${cwd}/.pi/settings.json`, "{}");
    const agent = await house().createAgent({
      name: "Trusts",
      cli: "standin",
      cwd,
    });
    await house().open(agent.id);
    await say("hello");
    const card = page.getByRole("alert", { name: "Trust this folder?" });
    await card.getByText(".pi/settings.json").waitFor();
    expect((await house().read(agent.id)).state).toBe("closed");
    await card.getByRole("button", { name: "Trust and send" }).click();
    await feed().getByText("ok: hello").waitFor();
    expect(await composer().inputValue()).toBe("");
    // That the daemon refused at first is what is tested.
    const others = house().visitor.faults.filter(
      (fault) => !fault.includes("409"),
    );
    expect(others).toEqual([]);
    house().visitor.faults.length = 0;
  },
);

browserTest(
  "a daemon that was restarted is found again, with everything that was said",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    const agent = await house().createAgent({ name: "Survives" });
    await house().open(agent.id);
    await say("[[reply:before]]");
    await feed().getByText("before", { exact: true }).waitFor();
    await house().restart();
    await house().prompt(agent.id, "[[reply:after]]");
    await feed().getByText("after", { exact: true }).waitFor();
    await say("[[reply:and on]]");
    await feed().getByText("and on", { exact: true }).waitFor();
    await rest();
    const before = await readConversation(page);
    await page.reload();
    await feed().getByText("and on", { exact: true }).waitFor();
    expect(await readConversation(page)).toBe(before);
    // While it was away, requests failed.
    house().visitor.faults.length = 0;
  },
);

browserTest(
  "a name is changed where it stands, and an agent is deleted with what is asked for",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    const agent = await house().createAgent({ name: "Old name" });
    await house().open(agent.id);
    await page.getByRole("button", { name: "Old name, rename" }).click();
    await page
      .getByRole("textbox", { name: "Name", exact: true })
      .fill("New name");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "New name, rename" }).waitFor();
    await page.getByRole("button", { name: "More for this agent" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByText("The folder that was made for it").waitFor();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.waitForURL("**/agents");
    await expect
      .poll(() => page.getByRole("main").getByText("New name").count())
      .toBe(0);
    house().expectPeace();
  },
);
