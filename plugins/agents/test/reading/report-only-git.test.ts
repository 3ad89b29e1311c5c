import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { createHostileRepository, plainGit } from "../help/plain-git.ts";
import { Runner } from "../help/runner.ts";

/** Command lines that ran a program of the repository although they only read. */
const LINES = [
  "git diff",
  "git diff HEAD --stat",
  "git diff-files -p",
  "git status",
  "git show",
  "git log -p -S one",
  "git log --format='%h %G? %GG %GS'",
  "git blame a.txt",
  "git grep two | head -3; git branch -avv",
];

describe("an agent that only reports", () => {
  const runner = new Runner();
  let agents: AgentsKernel;

  beforeAll(async () => {
    agents = await AgentsKernel.start({ beside: [runner.plugin] });
  });
  afterAll(() => agents.kernel.stop());

  /** Runs commands in the agent's folder; gives what each put out. */
  async function run(
    agentId: string,
    lines: readonly string[],
    tools: string[] = [],
  ) {
    const prompt = lines.map((line) => `[[run:${line}]]`).join("");
    const outcome = await runner.run(agentId, `${prompt}[[reply:report]]`, {
      permissions: { mode: "report-only", tools },
    });
    const entries = await agents.entries(agentId);
    const shown = entries.filter(({ kind }) => kind === "tool");
    return { outcome, outputs: shown.map(({ text }) => text) };
  }

  test(
    "reads a repository with its own calls of git, and runs nothing of it",
    { tags: "thorough" },
    async () => {
      const agentId = await runner.createAgent("practice");
      const { cwd } = await agents.get(agentId);
      const { canary } = await createHostileRepository(cwd);
      // They show what they would run if the environment were not what keeps them.
      for (const line of ["diff", "status"])
        await plainGit(cwd, line).catch(() => {});
      await rm(canary);
      const { outcome, outputs } = await run(agentId, LINES);
      expect(outcome).toMatchObject({
        failure: null,
        message: "report",
        permissionsAsked: [],
      });
      expect(outputs).toHaveLength(LINES.length);
      for (const [index, output] of outputs.entries())
        expect([LINES[index], output]).toEqual([
          LINES[index],
          expect.not.stringMatching(/fatal|exit code/),
        ]);
      expect(outputs[0]).toContain("-one\n+two");
      const ran = existsSync(canary) ? await readFile(canary, "utf8") : "";
      expect(ran).toBe("");
    },
  );

  test(
    "may do more with git where the policy allows its shell",
    { tags: "thorough" },
    async () => {
      const agentId = await runner.createAgent("practice");
      const { cwd } = await agents.get(agentId);
      await plainGit(cwd, "init", "-q");
      await writeFile(join(cwd, "new.txt"), "");
      const { outcome } = await run(agentId, ["git add new.txt"], ["shell"]);
      expect(outcome.failure).toBeNull();
      expect(await plainGit(cwd, "ls-files")).toBe("new.txt");
    },
  );
});
