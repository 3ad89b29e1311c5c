import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { keepPicture } from "@gantry/build/testing";
import { findBarriers } from "@gantry/ui-kit/testing";
import { expect } from "vitest";
import { encloseText } from "../../src/contract.ts";
import { said } from "../ui/support/entries.ts";
import { browserTest, useHouse } from "./support/browser-test.ts";
import { useConversationPage } from "./support/conversation-page.ts";
import { readConversation } from "./support/house.ts";
import { writeTranscript } from "./support/transcript.ts";

const house = useHouse();
const { composer, feed, say } = useConversationPage(house);

const page = () => house().page;
const more = async (name: string) => {
  await page()
    .getByRole("button", { name: /^More to do/ })
    .click();
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

browserTest(
  "a conversation continues from an earlier message",
  { tags: "thorough" },
  async () => {
    const agent = await house().createAgent({ name: "Forks" });
    await house().open(agent.id);
    for (const word of ["apples", "pears", "plums"]) await talk(word);
    const message = feed().getByRole("article").filter({ hasText: "] pears" });
    await message.hover();
    await message.getByRole("button", { name: /^Continue from here/ }).click();
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
    await dialog
      .getByRole("button", { name: /^Continue from before: .* plums$/ })
      .click();
    await dialog.waitFor({ state: "detached" });
    await feed().getByText("pears it is", { exact: true }).waitFor();
    expect(await readConversation(page())).not.toContain("figs it is");
    house().expectPeace();
  },
);

browserTest(
  "a copy of an agent knows what was said",
  { tags: "thorough" },
  async () => {
    const agent = await house().createAgent({ name: "Twin" });
    await house().open(agent.id);
    await talk("bread");
    await more("Copy this agent");
    await page().getByRole("button", { name: "Twin (copy), rename" }).waitFor();
    await feed().getByText("bread it is", { exact: true }).waitFor();
    house().expectPeace();
  },
);

browserTest(
  "commands and files are offered while the user types, and a command runs in the folder",
  { tags: "thorough" },
  async () => {
    const agent = await house().createAgent({ name: "Helps" });
    await writeFile(join(agent.cwd, "notes of mine.md"), "# Notes\n");
    await house().open(agent.id);
    await talk("hello");
    await composer().pressSequentially("/com");
    const list = page().getByRole("listbox", { name: "Commands" });
    await list.getByRole("option", { name: /^\/compact/ }).waitFor();
    expect(await findBarriers(page())).toEqual([]);
    await composer().press("Enter");
    expect(await composer().inputValue()).toBe("/compact ");

    await composer().fill("");
    await composer().pressSequentially("see @notmi");
    const files = page().getByRole("listbox", { name: "Files" });
    await files.getByRole("option", { name: /^notes of mine\.md/ }).waitFor();
    await composer().press("Enter");
    expect(await composer().inputValue()).toBe("see @notes of mine.md ");

    await say("!printf 'from %s' here");
    await feed()
      .getByRole("button", { name: /^Ran printf/ })
      .click();
    await feed().getByText("from here", { exact: true }).waitFor();
    house().expectPeace();
  },
);

browserTest(
  "a block of code runs when it was seen, and a plan is shown",
  { tags: "thorough" },
  async () => {
    const agent = await house().createAgent({ name: "Codes" });
    await house().open(agent.id);
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
    house().expectPeace();
  },
);

browserTest(
  "code that is about to run shows the characters that cannot be seen",
  { tags: "thorough" },
  async () => {
    const agent = await house().createAgent({ name: "Hides" });
    await house().open(agent.id);
    await say("[[reply:Try\n\n```sh\necho a\u{e0041}\u200cb\n```\n]]");
    await feed().getByRole("button", { name: "Run this code" }).click();
    const dialog = page().getByRole("dialog", { name: "Run this code" });
    await dialog.getByText("echo a⟨U+E0041⟩⟨U+200C⟩b").waitFor();
    await dialog.getByRole("note").waitFor();
    expect(await findBarriers(page())).toEqual([]);
    house().expectPeace();
  },
);

browserTest(
  "what a message carries of a page is folded, and shown on demand",
  { tags: "thorough" },
  async () => {
    const agent = await house().createAgent({ name: "Points" });
    const data = JSON.stringify([{ element: 1, text: "Pay now" }], null, 2);
    const text = [
      "I point at an element of a web page and comment on it:",
      "1. Make it larger",
      encloseText("UNTRUSTED DATA", data),
      "The attached picture shows the element.",
    ].join("\n\n");
    const message = {
      ...({ taskId: null, source: "browser", delivery: "prompt" } as const),
      images: 1,
    };
    await writeTranscript(house().daemon.home, agent.id, [
      said(text, { message }),
    ]);
    await house().open(agent.id);
    const row = feed().getByRole("article").filter({ hasText: "I point at" });
    const show = row.getByRole("button", { name: "Show page data" });
    await show.waitFor();
    expect(await row.innerText()).not.toContain("Pay now");
    expect(await row.innerText()).not.toContain("UNTRUSTED DATA");
    await keepPicture(page(), "screenshots/message-data-folded");
    await show.focus();
    await page().keyboard.press("Enter");
    await row.getByText('"text": "Pay now"').waitFor();
    await row.getByRole("button", { name: "Hide page data" }).waitFor();
    expect(await findBarriers(page())).toEqual([]);
    await page().emulateMedia({ colorScheme: "dark" });
    await page().setViewportSize({ width: 390, height: 844 });
    await page().locator("html.dark").waitFor();
    await keepPicture(page(), "screenshots/message-data-390-dark");
    expect(await findBarriers(page())).toEqual([]);
    house().expectPeace();
  },
);
