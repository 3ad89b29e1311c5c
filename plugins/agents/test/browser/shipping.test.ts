import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { findBarriers } from "@gantry/ui-kit/testing";
import { keepPicture, keepTrace } from "@gantry/build/testing";
import { afterAll, beforeAll, expect, vi } from "vitest";
import { createRepository, plainGit, writeFiles } from "../help/plain-git.ts";
import { browserTest, useHouse } from "./support/browser-test.ts";
import { createTemporaryFolder } from "./support/e2e.ts";

let tools: Awaited<ReturnType<typeof createTemporaryFolder>>;

// The daemon inherits it, so this comes before that is started.
beforeAll(async () => {
  tools = await createTemporaryFolder("tools");
  await writeGh(tools.path);
  vi.stubEnv("PATH", [tools.path, process.env["PATH"]].join(delimiter));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await tools[Symbol.asyncDispose]();
});

const house = useHouse();

const ANSWER = {
  ...{ number: 7, title: "Round once", state: "OPEN", isDraft: false },
  ...{ url: "https://github.com/ann/shop/pull/7", baseRefName: "main" },
  ...{ headRefName: "agent/tax-rates", reviewDecision: "" },
  ...{ mergeable: "MERGEABLE", updatedAt: "2026-03-01T00:00:00Z" },
  headRepositoryOwner: { login: "ann" },
  isCrossRepository: false,
  statusCheckRollup: [
    {
      ...{ __typename: "CheckRun", name: "test", workflowName: "CI" },
      ...{ status: "COMPLETED", conclusion: "FAILURE" },
      detailsUrl: "https://github.com/ann/shop/actions/runs/1/job/2",
    },
  ],
};

const writeAnswer = (answer: object) =>
  writeFile(join(tools.path, "answer"), JSON.stringify([answer]));

/** A `gh` that knows no pull request until it is told to open one. */
async function writeGh(folder: string): Promise<void> {
  await writeAnswer(ANSWER);
  await writeFile(
    join(folder, "gh"),
    `#!/bin/sh
cd ${folder}
case "$1 $2" in
"pr list") if [ -e opened ]; then cat answer; else echo '[]'; fi ;;
"pr create") printf '[%s]' "$@" > opened; cat > body; echo https://github.com/ann/shop/pull/7 ;;
"run view") printf 'test\\tRun tests\\t2026-03-01T00:00:00.0Z expected 1 to be 2\\n' ;;
*) exit 1 ;;
esac
`,
  );
  await chmod(join(folder, "gh"), 0o755);
}

const RATES =
  Array.from(
    { length: 60 },
    (_, index) => `export const RATE_${index} = ${index};`,
  ).join("\n") + "\n";

/** A repository with a hook and a bare remote, which is on GitHub by its address. */
async function createShop() {
  const outer = join(house().folder, "ship");
  await mkdir(outer);
  const shop = await createRepository(join(outer, "shop"), {
    "rates.ts": RATES,
    "README.md": "# Shop\n",
  });
  await plainGit(outer, "clone", "-q", "--bare", "shop", "shop.git");
  const remote = join(outer, "shop.git");
  for (const [key, value] of Object.entries({
    "user.name": "Ann",
    "user.email": "ann@example.org",
    "remote.origin.url": "git@github.com:ann/shop.git",
    "remote.origin.pushurl": remote,
    "remote.origin.fetch": "+refs/heads/*:refs/remotes/origin/*",
  }))
    await plainGit(shop, "config", key, value);
  await plainGit(shop, "update-ref", "refs/remotes/origin/main", "HEAD");
  const hook = ".git/hooks/pre-commit";
  await writeFiles(shop, { [hook]: "#!/bin/sh\necho all tests pass\n" });
  await chmod(join(shop, hook), 0o755);
  return { shop, remote };
}

const panel = () =>
  house().page.getByRole("region", { name: "Commit and push" });

/** A task for an agent in a worktree of its own, which changes two places of a file and makes another. */
async function startTask(shop: string) {
  const { page, daemon } = house();
  await page.goto(`${daemon.url}/agents?new=1`);
  const form = page.getByRole("dialog", { name: "New agent" });
  await form.getByRole("combobox", { name: "Folder" }).fill(shop);
  await form.getByRole("checkbox", { name: "In a new worktree" }).check();
  await form.getByRole("textbox", { name: "Name" }).fill("Tax rates");
  await form
    .getByRole("textbox", { name: "Setup command" })
    .fill("echo prepared");
  await form.getByRole("button", { name: "Create agent" }).click();
  const message = page.getByRole("textbox", { name: "Message to Tax rates" });
  await message.fill(
    "[[run:sed -i 's/_5 = 5/_5 = 0.5/; s/_40 = 40/_40 = 4/' rates.ts; echo mine > notes.txt]][[reply:Done.]]",
  );
  await page.keyboard.press("Enter");
  const id = new URL(page.url()).pathname.split("/")[2] ?? "";
  const { cwd } = await house().read(id);
  return { id, cwd };
}

/** Comments on the two changed lines, by keyboard, and sends both. */
async function review(): Promise<void> {
  const { page } = house();
  for (const [line, text] of [
    [6, "Why a half?"],
    [41, "Why not 40?"],
  ] as const) {
    await page
      .getByRole("button", { name: `Comment on line ${line}`, exact: true })
      .focus();
    await page.keyboard.press("Enter");
    await page.keyboard.type(text);
    await page.keyboard.press("Control+Enter");
  }
  const comments = page.getByRole("group", { name: "Comments", exact: true });
  await comments.getByText("2 comments").waitFor();
  await comments.getByRole("button", { name: "Send to the agent" }).click();
  await comments.waitFor({ state: "detached" });
  const feed = page.getByRole("feed");
  await feed.getByText("2 comments on your changes").first().waitFor();
  await feed.getByText("Why a half?").first().waitFor();
}

/** Stages one of the two hunks and commits it with the hooks; takes the commit back once. */
async function commitHunk(cwd: string): Promise<void> {
  const { page } = house();
  await page
    .getByRole("button", { name: /^Stage: .*rates\.ts/ })
    .first()
    .click();
  const commit = panel().getByRole("button", { name: /^Commit 1 staged file/ });
  await commit.waitFor();
  expect(await plainGit(cwd, "diff", "--cached", "--shortstat")).toBe(
    "1 file changed, 1 insertion(+), 1 deletion(-)",
  );
  await panel().getByRole("button", { name: "Let git run them here" }).click();
  const question = page.getByRole("dialog");
  await question.getByText("pre-commit hook").waitFor();
  await question.getByRole("button", { name: /Let git run/ }).click();
  const message = panel().getByRole("textbox", { name: "Commit message" });
  await message.fill("Round once");
  await keepPicture(page, "shipping");
  expect(await findBarriers(page)).toEqual([]);
  await page.keyboard.press("Control+Enter");
  await panel().getByText("Committed").waitFor();
  await panel().getByText("What git and its hooks printed").click();
  await panel().getByText("all tests pass").waitFor();
  expect(await plainGit(cwd, "log", "-1", "--format=%s")).toBe("Round once");
  await panel()
    .getByRole("button", { name: "Undo the commit Round once" })
    .click();
  await expect.poll(() => message.inputValue()).toBe("Round once");
  await commit.click();
  await panel().getByText("Committed").waitFor();
}

async function pushAndPropose(remote: string): Promise<void> {
  const { page } = house();
  await panel()
    .getByRole("button", { name: /^Push 1 commit to origin\/agent\/tax-rates/ })
    .click();
  await panel().getByText("Pushed to origin/agent/tax-rates").waitFor();
  expect(
    await plainGit(remote, "log", "-1", "--format=%s", "agent/tax-rates"),
  ).toBe("Round once");
  await panel().getByRole("button", { name: "Open pull request" }).click();
  const dialog = page.getByRole("dialog");
  const title = dialog.getByRole("textbox", { name: "Title" });
  await expect.poll(() => title.inputValue()).toBe("Round once");
  await dialog.getByRole("button", { name: "Open pull request" }).click();
  await panel()
    .getByRole("link", { name: /Round once/ })
    .waitFor();
  expect(await readFile(join(tools.path, "opened"), "utf8")).toContain(
    "[--head=agent/tax-rates]",
  );
  await panel()
    .getByRole("button", { name: /^Fix it: / })
    .click();
  await panel().getByText("Sent to the agent").waitFor();
  const feed = page.getByRole("feed");
  await feed.getByText("expected 1 to be 2").first().waitFor();
}

/** Undoes the first turn, with what was committed of it since. */
async function undoTurn(cwd: string): Promise<void> {
  const { page } = house();
  const changes = page.getByRole("group", { name: "Changes of this turn" });
  await changes.getByText("2 files").first().waitFor();
  await changes.getByRole("button", { name: "Undo this turn" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Undo this turn?" });
  await dialog.getByText("notes.txt").waitFor();
  await dialog.getByRole("button", { name: /^Undo/ }).click();
  await dialog.waitFor({ state: "detached" });
  expect(await readFile(join(cwd, "rates.ts"), "utf8")).toBe(RATES);
  await page.getByRole("button", { name: "Redo" }).click();
  await expect
    .poll(() => readFile(join(cwd, "rates.ts"), "utf8"))
    .toContain("_5 = 0.5");
}

/** Once it is merged, the worktree goes; the agent and its branch stay. */
async function removeWorktree(shop: string, id: string): Promise<void> {
  const { page, daemon } = house();
  await writeAnswer({ ...ANSWER, state: "MERGED", statusCheckRollup: [] });
  const remove = panel().getByRole("button", {
    name: "Close and remove the worktree",
  });
  const refresh = panel().getByRole("button", {
    name: "Refresh the pull request",
  });
  // GitHub is asked again at most every five seconds.
  await expect
    .poll(async () => {
      await refresh.click();
      return await remove.count();
    })
    .toBe(1);
  await remove.click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("2 files with changes").waitFor();
  expect(await findBarriers(page)).toEqual([]);
  await dialog
    .getByRole("button", { name: "Remove it with the changes" })
    .click();
  await page.getByText("The worktree was removed.").waitFor();
  await page.getByText("There are no files here").waitFor();
  await keepPicture(page, "worktree-removed");
  expect(await findBarriers(page)).toEqual([]);
  expect(await plainGit(shop, "worktree", "list")).not.toContain("tax-rates");
  await page.getByRole("button", { name: "Make it again" }).click();
  await page
    .getByText("The worktree was removed.")
    .waitFor({ state: "detached" });
  // What is shown follows the setup that runs again.
  await expect
    .poll(async () => (await house().read(id)).worktree?.state)
    .toBe("ready");
  await page.goto(`${daemon.url}/agents/${id}/changes`);
  await page.getByText("Nothing has changed").waitFor();
}

browserTest(
  "a task in a worktree is watched, reviewed, committed by hunk, pushed, proposed, undone and cleaned up",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    const { shop, remote } = await createShop();
    await keepTrace(page.context(), "task-to-pull-request", async () => {
      const { id, cwd } = await startTask(shop);
      await page
        .getByRole("group", { name: "Changes of this turn" })
        .getByText("2 files")
        .waitFor();
      await page.goto(`${house().daemon.url}/agents/${id}/changes`);
      await panel()
        .getByRole("button", { name: /^Commit all 2 files/ })
        .waitFor();
      await review();
      await commitHunk(cwd);
      await pushAndPropose(remote);
      await undoTurn(cwd);
      await removeWorktree(shop, id);
      await page.setViewportSize({ width: 390, height: 844 });
      await keepPicture(page, "shipping-390");
      expect(await findBarriers(page)).toEqual([]);
    });
    house().expectPeace();
  },
);
