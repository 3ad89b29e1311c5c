import { expect } from "vitest";
import { plainGit, writeFiles } from "../help/plain-git.ts";
import { browserTest, useHouse } from "./support/browser-test.ts";
import { useShops } from "./support/shop.ts";

const house = useHouse();
const { createShop, open, panel, button, message, inspect, expectRefusals } =
  useShops(house);

browserTest(
  "the agent drafts the message of a commit",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    const { id } = await createShop("Drafts");
    await open(id);
    const draft = button("Draft");
    await draft.waitFor();
    expect(await draft.isDisabled()).toBe(true);
    await house().prompt(id, "Hello");
    await page.getByRole("feed").getByText("practice: Hello").waitFor();
    await draft.click();
    // The practice agent repeats what it was asked.
    await expect
      .poll(() => message().inputValue())
      .toContain("Write a commit message for all changes");
    expect(await button("Commit all 3 files").isEnabled()).toBe(true);
    house().expectPeace();
  },
);

browserTest(
  "a conflict keeps from committing until it is solved",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    const { cwd, id } = await createShop("Merges");
    await plainGit(cwd, "commit", "-qam", "One price");
    await plainGit(cwd, "switch", "-q", "main");
    await writeFiles(cwd, { "src/prices.ts": "export const PRICE = 9;\n" });
    await plainGit(cwd, "commit", "-qam", "Another price");
    await expect(plainGit(cwd, "merge", "feature/prices")).rejects.toThrow();
    await open(id);
    await panel().getByText("1 file is in conflict.").waitFor();
    await page
      .getByRole("img", { name: /^Not staged: It is in conflict/ })
      .first()
      .waitFor();
    await inspect("conflict");
    await button("Mark as solved").click();
    const refused = panel().getByRole("alert");
    await refused.getByText("It was not staged").waitFor();
    await writeFiles(cwd, { "src/prices.ts": "export const PRICE = 9;\n" });
    await button("Mark as solved").click();
    await message().fill("Merge the prices");
    await button(/^Commit (all|\d)/).click();
    await panel().getByText("Committed").waitFor();
    // The default branch is asked about.
    await button(/^Push 3 commits to origin\/main/).click();
    await page
      .getByRole("dialog", { name: "Push to main?" })
      .getByRole("button", { name: "Cancel" })
      .click();
    expectRefusals(1);
  },
);
