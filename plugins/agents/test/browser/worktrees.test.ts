import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { findBarriers } from "@gantry/ui-kit/testing";
import { expect } from "vitest";
import { createRepository, plainGit } from "../help/plain-git.ts";
import { browserTest, useHouse } from "./support/browser-test.ts";

const house = useHouse();

browserTest(
  "an agent gets a worktree beside one that is working, and takes it along when it is deleted",
  { tags: "thorough" },
  async () => {
    const { page, daemon } = house();
    const shop = await createRepository(join(house().folder, "shop"), {
      "README.md": "# Shop\n",
    });
    const first = await house().createAgent({ name: "First", cwd: shop });
    await house().prompt(
      first.id,
      "[[run:until [ -e done ]; do sleep 0.05; done]]",
    );
    await expect
      .poll(async () => (await house().read(first.id)).activity)
      .toBe("working");

    await page.goto(`${daemon.url}/agents?new=1`);
    const form = page.getByRole("dialog", { name: "New agent" });
    await form.getByRole("combobox", { name: "Folder" }).fill(shop);
    const choice = form.getByRole("checkbox", { name: "In a new worktree" });
    await form.getByText("First works in this folder too.").waitFor();
    expect(await choice.isChecked()).toBe(true);
    await choice.uncheck();
    await form.getByText("Both write to the same files.").waitFor();
    await choice.check();
    expect(await findBarriers(page)).toEqual([]);
    await form.getByRole("textbox", { name: "Name" }).fill("Tax rates");
    const branch = form.getByRole("textbox", { name: "Branch" });
    expect(await branch.getAttribute("placeholder")).toBe("agent/tax-rates");
    await form
      .getByRole("textbox", { name: "Setup command" })
      .fill("cat README.md");
    await form.getByRole("button", { name: "Create agent" }).click();
    await page.getByRole("textbox", { name: "Message to Tax rates" }).waitFor();
    const id = new URL(page.url()).pathname.split("/")[2] ?? "";
    const { cwd, worktree } = await house().read(id);
    expect(worktree).toMatchObject({
      repository: shop,
      branch: "agent/tax-rates",
    });
    expect(await plainGit(cwd, "branch", "--show-current")).toBe(
      "agent/tax-rates",
    );

    await page.goto(`${daemon.url}/agents`);
    const row = page
      .getByRole("listitem")
      .filter({ has: page.getByRole("link", { name: "Tax rates" }) });
    await row.getByText("shop · agent/tax-rates").waitFor();

    await writeFile(join(cwd, "new.txt"), "x\n");
    await house().open(id);
    await page.getByRole("button", { name: "More for this agent" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete Tax rates?" });
    await dialog
      .getByText("1 file with changes that are in no commit is lost: new.txt")
      .waitFor();
    const files = dialog.getByRole("checkbox", { name: /^The worktree/ });
    expect(await files.isChecked()).toBe(false);
    await files.check();
    expect(await findBarriers(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Delete", exact: true }).click();
    await row.waitFor({ state: "detached" });
    await expect
      .poll(() => plainGit(shop, "worktree", "list", "--porcelain"))
      .not.toContain("tax-rates");
    // Commits are never lost with a folder.
    expect(await plainGit(shop, "branch", "--list", "agent/*")).toBe(
      "agent/tax-rates",
    );

    const second = await house().createAgent({ name: "Second", cwd: shop });
    await house().prompt(second.id, "Hello");
    await house().open(second.id);
    await page.getByText("works in this folder too").waitFor();
    await writeFile(join(shop, "done"), "");
    await page
      .getByRole("main")
      .getByRole("link", { name: "First", exact: true })
      .click();
    await page.getByRole("textbox", { name: "Message to First" }).waitFor();
    house().expectPeace();
  },
);
