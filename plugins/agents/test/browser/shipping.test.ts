import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { findBarriers } from "@gantry/ui-kit/testing";
import { keepPicture } from "@gantry/build/testing";
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

/** A `gh` that knows no pull request until it is told to open one. */
async function writeGh(folder: string): Promise<void> {
  const answer = {
    ...{ number: 7, title: "Round once", state: "OPEN", isDraft: false },
    ...{ url: "https://github.com/ann/shop/pull/7", baseRefName: "main" },
    ...{
      headRefName: "feature/tax",
      reviewDecision: "",
      mergeable: "MERGEABLE",
    },
    updatedAt: "2026-03-01T00:00:00Z",
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
  await writeFile(join(folder, "answer"), JSON.stringify([answer]));
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

const rates = (changes: Record<number, string> = {}) =>
  Array.from(
    { length: 60 },
    (_, index) => changes[index] ?? `export const RATE_${index} = ${index};`,
  ).join("\n") + "\n";

browserTest(
  "what an agent changed is staged by hunk, committed with the hooks, pushed, and becomes a pull request",
  { tags: "thorough" },
  async () => {
    const { page } = house();
    const outer = join(house().folder, "ship");
    await mkdir(outer);
    const cwd = await createRepository(join(outer, "shop"), {
      "rates.ts": rates(),
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
      await plainGit(cwd, "config", key, value);
    await plainGit(cwd, "update-ref", "refs/remotes/origin/main", "HEAD");
    await plainGit(cwd, "switch", "-qc", "feature/tax");
    const hook = join(cwd, ".git/hooks/pre-commit");
    await writeFiles(cwd, {
      ".git/hooks/pre-commit": "#!/bin/sh\necho all tests pass\n",
      "rates.ts": rates({ 5: "export const VAT = 0.19;", 40: "// later" }),
      "notes.txt": "mine\n",
    });
    await chmod(hook, 0o755);
    const { id } = await house().createAgent({ name: "Ships", cwd });
    await page.goto(`${house().daemon.url}/agents/${id}/changes`);

    const panel = page.getByRole("region", { name: "Commit and push" });
    await panel.getByRole("button", { name: /^Commit all 2 files/ }).waitFor();
    await page
      .getByRole("button", { name: /^Stage: .*rates\.ts/ })
      .first()
      .click();
    await panel
      .getByRole("button", { name: /^Commit 1 staged file/ })
      .waitFor();
    expect(await plainGit(cwd, "diff", "--cached", "--shortstat")).toBe(
      "1 file changed, 1 insertion(+), 1 deletion(-)",
    );
    await panel.getByRole("button", { name: "Let git run them here" }).click();
    const question = page.getByRole("dialog");
    await question.getByText("pre-commit hook").waitFor();
    await question.getByRole("button", { name: /Let git run/ }).click();
    await panel
      .getByRole("textbox", { name: "Commit message" })
      .fill("Round once");
    await keepPicture(page, "shipping");
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press("Control+Enter");
    await panel.getByText("Committed").waitFor();
    await panel.getByText("What git and its hooks printed").click();
    await panel.getByText("all tests pass").waitFor();
    expect(await plainGit(cwd, "log", "-1", "--format=%s")).toBe("Round once");

    await panel
      .getByRole("button", { name: "Undo the commit Round once" })
      .click();
    const message = panel.getByRole("textbox", { name: "Commit message" });
    await expect.poll(() => message.inputValue()).toBe("Round once");
    await panel.getByRole("button", { name: /^Commit 1 staged file/ }).click();
    await panel.getByText("Committed").waitFor();

    await panel
      .getByRole("button", { name: /^Push 1 commit to origin\/feature\/tax/ })
      .click();
    await panel.getByText("Pushed to origin/feature/tax").waitFor();
    expect(
      await plainGit(remote, "log", "-1", "--format=%s", "feature/tax"),
    ).toBe("Round once");
    await panel.getByRole("button", { name: "Open pull request" }).click();
    const dialog = page.getByRole("dialog");
    const title = dialog.getByRole("textbox", { name: "Title" });
    await expect.poll(() => title.inputValue()).toBe("Round once");
    await dialog.getByRole("button", { name: "Open pull request" }).click();
    await panel.getByRole("link", { name: /Round once/ }).waitFor();
    expect(await readFile(join(tools.path, "opened"), "utf8")).toContain(
      "[--head=feature/tax]",
    );

    await panel.getByRole("button", { name: /^Fix it: / }).click();
    await panel.getByText("Sent to the agent").waitFor();
    const feed = page.getByRole("feed");
    await feed.getByText("expected 1 to be 2").first().waitFor();
    await page.setViewportSize({ width: 390, height: 844 });
    await keepPicture(page, "shipping-390");
    expect(await findBarriers(page)).toEqual([]);
    house().expectPeace();
  },
);
