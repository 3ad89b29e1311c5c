import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { plainGit } from "../help/plain-git.ts";
import { browserTest, useHouse } from "./support/browser-test.ts";
import { useShops } from "./support/shop.ts";

const house = useHouse();
const {
  createShop,
  open,
  panel,
  button,
  message,
  subject,
  inspect,
  expectRefusals,
} = useShops(house);

browserTest(
  "hunks and files are staged, committed, undone and pushed",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    const { cwd, id, remote } = await createShop("Ships");
    await open(id);
    await button("Commit all 3 files").waitFor();
    await page
      .getByRole("button", { name: "Stage: line 1 of long.txt" })
      .click();
    await page
      .getByRole("button", { name: "Unstage: line 1 of long.txt" })
      .waitFor();
    const box = page.getByRole("checkbox", { name: "Staged long.txt" });
    expect(await box.first().getAttribute("aria-checked")).toBe("mixed");
    await page
      .getByRole("checkbox", { name: "Staged src/new file.ts" })
      .first()
      .click();
    await button("Commit 2 staged files").waitFor();
    const staged = await plainGit(cwd, "diff", "--cached", "--numstat");
    expect(staged).toBe("1\t1\tlong.txt\n1\t0\tsrc/new file.ts");
    await inspect("staged");

    await message().fill("Raise one price");
    // It is there again when the user comes back.
    await page.reload();
    await expect.poll(() => message().inputValue()).toBe("Raise one price");
    await message().press("Control+Enter");
    await panel().getByText("Committed").waitFor();
    expect(await message().inputValue()).toBe("");
    expect(await subject(cwd)).toBe("Raise one price");
    await button("Undo the commit Raise one price").click();
    await expect.poll(() => message().inputValue()).toBe("Raise one price");
    await button("Commit 2 staged files").click();
    await panel().getByText("Committed").waitFor();

    // A remote that is a folder runs programs on this machine.
    await button("Push 1 commit to origin/feature/prices").click();
    const refused = panel().getByRole("alert");
    await refused.getByText("Nothing was pushed").waitFor();
    await refused
      .getByRole("button", { name: "Let git run them here" })
      .click();
    const dialog = page.getByRole("dialog", {
      name: "Let git run programs here?",
    });
    await dialog.getByRole("button", { name: "Let git run them" }).click();
    await dialog.waitFor({ state: "detached" });
    await button("Push 1 commit to origin/feature/prices").click();
    await panel().getByText("Pushed to origin/feature/prices").waitFor();
    expect(await subject(remote, "feature/prices")).toBe("Raise one price");
    expectRefusals(1);
  },
);

browserTest(
  "what a hook refuses is shown, goes to the agent, and is committed without hooks",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    const { cwd, id } = await createShop("Hooked");
    const hook = join(cwd, ".git/hooks/pre-commit");
    await writeFile(
      hook,
      "#!/bin/sh\necho 'the price is too high' >&2\nexit 1\n",
    );
    await chmod(hook, 0o755);
    await open(id);
    await button("Commit all 3 files without hooks").waitFor();
    await button("Let git run them here").click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("pre-commit hook").waitFor();
    await dialog.getByRole("button", { name: "Let git run them" }).click();
    await message().fill("Raise prices");
    await button("Commit all 3 files").click();
    const refused = panel().getByRole("alert");
    await refused.getByText("the price is too high").waitFor();
    await inspect("refused");
    await refused.getByRole("button", { name: "Send to the agent" }).click();
    await refused.waitFor({ state: "detached" });
    await page
      .getByRole("feed")
      .getByText("the price is too high")
      .first()
      .waitFor();
    await button(/^Commit (all|\d)/).click();
    await refused.getByRole("button", { name: "Commit without hooks" }).click();
    await panel().getByText("Committed").waitFor();
    expect(await subject(cwd)).toBe("Raise prices");
    expectRefusals(2);
  },
);
