import { findBarriers } from "@gantry/ui-kit/testing";
import { expect } from "vitest";
import { browserTest, useBrowserStage } from "./support/browser-test.ts";
import { useConversationPage } from "./support/conversation-page.ts";
import { readConversation } from "./support/browser-stage.ts";

const stage = useBrowserStage();
const { composer, feed, say } = useConversationPage(stage);

const page = () => stage().page;
const more = async (name: string) => {
  await page().getByRole("button", { name: "Conversation actions" }).click();
  await page().getByRole("menuitem", { name }).click();
};

/** Sends a message and waits for its answer. */
async function talk(word: string): Promise<void> {
  await say(`[[reply:${word} it is]] ${word}`);
  await feed().getByText(`${word} it is`, { exact: true }).waitFor();
  await page()
    .getByRole("button", { name: "Stop" })
    .waitFor({ state: "detached" });
}

browserTest("a conversation branches from an earlier message", async () => {
  const agent = await stage().createAgent({ name: "Forks" });
  await stage().open(agent.id);
  for (const word of ["apples", "pears", "plums"]) await talk(word);
  const message = feed().getByRole("article").filter({ hasText: "] pears" });
  await message.hover();
  await message.getByRole("button", { name: "Branch from here" }).click();
  await feed()
    .getByText("plums it is", { exact: true })
    .waitFor({ state: "detached" });
  expect(await composer().inputValue()).toBe("[[reply:pears it is]] pears");
  await talk("figs");
  const shown = await readConversation(page());
  expect(shown).toContain("apples it is");
  expect(shown).not.toContain("pears it is");

  await more("Branches");
  const dialog = page().getByRole("dialog", { name: "Branches" });
  await dialog.getByRole("listitem").nth(3).waitFor();
  expect(await findBarriers(page())).toEqual([]);
  await dialog.getByRole("button", { name: /^Branch from: .* plums$/ }).click();
  await dialog.waitFor({ state: "detached" });
  await feed().getByText("pears it is", { exact: true }).waitFor();
  expect(await readConversation(page())).not.toContain("figs it is");
  stage().expectNoFaults();
});

browserTest("a duplicated agent has the conversation", async () => {
  const agent = await stage().createAgent({ name: "Twin" });
  await stage().open(agent.id);
  await talk("bread");
  await more("Duplicate agent");
  await page().getByRole("button", { name: "Twin (copy), rename" }).waitFor();
  await feed().getByText("bread it is", { exact: true }).waitFor();
  stage().expectNoFaults();
});

browserTest(
  "slash commands are suggested while typing, and a shell command runs in the folder",
  async () => {
    const agent = await stage().createAgent({ name: "Helps" });
    await stage().open(agent.id);
    await talk("hello");
    await composer().pressSequentially("/com");
    const list = page().getByRole("listbox", { name: "Commands" });
    await list.getByRole("option", { name: /^\/compact/ }).waitFor();
    expect(await findBarriers(page())).toEqual([]);
    await composer().press("Enter");
    expect(await composer().inputValue()).toBe("/compact ");

    await composer().fill("");
    await say("!printf 'from %s' here");
    await feed()
      .getByRole("button", { name: /^Ran printf/ })
      .click();
    await feed().getByText("from here", { exact: true }).waitFor();
    stage().expectNoFaults();
  },
);

browserTest(
  "a block of code runs after confirmation, and a plan is shown",
  async () => {
    const agent = await stage().createAgent({ name: "Codes" });
    await stage().open(agent.id);
    await say(
      "[[plan:Look;Leap]][[reply:Try\n\n```sh\necho $((40 + 2))\n```\n]]",
    );
    await feed().getByText("echo $((40 + 2))").waitFor();
    await page().getByRole("heading", { name: /^Plan/ }).waitFor();
    await feed().getByRole("button", { name: "Run this code" }).click();
    const dialog = page().getByRole("dialog", { name: "Run this code" });
    await dialog.getByRole("button", { name: "Run", exact: true }).click();
    await dialog.getByText("42", { exact: true }).waitFor();
    expect(await findBarriers(page())).toEqual([]);
    stage().expectNoFaults();
  },
);

browserTest("invisible characters are shown before code is run", async () => {
  const agent = await stage().createAgent({ name: "Hides" });
  await stage().open(agent.id);
  await say("[[reply:Try\n\n```sh\necho a\u{e0041}\u200cb\n```\n]]");
  await feed().getByRole("button", { name: "Run this code" }).click();
  const dialog = page().getByRole("dialog", { name: "Run this code" });
  await dialog.getByText("echo a⟨U+E0041⟩⟨U+200C⟩b").waitFor();
  await dialog.getByRole("note").waitFor();
  expect(await findBarriers(page())).toEqual([]);
  stage().expectNoFaults();
});
