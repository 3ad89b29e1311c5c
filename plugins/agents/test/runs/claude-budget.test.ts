import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cases } from "@gantry/build/testing";
import { afterEach, expect, test } from "vitest";
import { AgentsKernel, standIn } from "../help/agents-kernel.ts";
import { Runner } from "../help/runner.ts";

const homes: string[] = [];
afterEach(async () => {
  for (const home of homes.splice(0)) await rm(home, { recursive: true });
});

/** Agents of a Claude Code that tells what it cost only at the end of a turn. */
async function startClaude(env: Record<string, string> = {}) {
  const home = await mkdtemp(join(tmpdir(), "gantry-budget-"));
  homes.push(home);
  const runner = new Runner();
  const agents = await AgentsKernel.start({
    clis: { claude: standIn("fake-claude", { HOME: home, ...env }) },
    beside: [runner.plugin],
  });
  /** The budget that the process started last was given. */
  const budget = async () => {
    const lines = (await readFile(join(home, "argv.jsonl"), "utf8")).trim();
    const args = JSON.parse(lines.split("\n").at(-1)!) as string[];
    const at = args.indexOf("--max-budget-usd");
    return at < 0 ? null : args[at + 1];
  };
  return { agents, runner, home, budget };
}

test("a run of Claude Code is stopped within its turn when its cost passes the cap", async () => {
  const { agents, runner, home, budget } = await startClaude();
  await using _kernel = agents;
  const id = await runner.createAgent("claude");
  const late = join(home, "late");
  const outcome = await runner.run(
    id,
    `[[cost:0.6]][[run:true]][[cost:0.6]][[run:touch ${late}]][[cost:5]][[reply:rich]]`,
    { maxCostUsd: 1 },
  );
  expect(outcome).toMatchObject({
    failure: "cost-cap",
    usage: { costUsd: 1.2 },
  });
  expect(existsSync(late)).toBe(false);
  expect(await budget()).toBe("1");
});

test(
  "a run without a cap has no budget, and neither has what the user says",
  { tags: ["thorough"] },
  async () => {
    const { agents, runner, budget } = await startClaude();
    await using _kernel = agents;
    const id = await runner.createAgent("claude");
    expect(await runner.run(id, "[[cost:7]][[reply:rich]]")).toMatchObject({
      failure: null,
      usage: { costUsd: 7 },
    });
    expect(await budget()).toBeNull();
    await agents.ask(id, "[[reply:hello]]");
    expect(await budget()).toBeNull();
  },
);

test.each(
  cases([
    // Carries what the conversation has cost before.
    ["2.1.329", "0.5"],
    ["2.1.197", "0"],
  ]),
)(
  "a continued conversation has its cap on top of what it cost, with %s",
  async (version, carries) => {
    const { agents, runner } = await startClaude({
      FAKE_CLAUDE_VERSION: version,
      FAKE_CLAUDE_CARRIES: carries,
    });
    await using _kernel = agents;
    const id = await runner.createAgent("claude");
    await runner.run(id, "[[cost:0.5]][[reply:first]]");
    const goesOn = { freshSession: false, maxCostUsd: 1 };
    expect(
      await runner.run(id, "[[cost:0.9]][[reply:second]]", goesOn),
    ).toMatchObject({ failure: null, message: "second" });
  },
);
