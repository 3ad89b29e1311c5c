import { afterAll, beforeAll, expect, test } from "vitest";
import { createAcpDriver } from "../../src/drivers/acp/acp-driver.ts";
import { createClaudeDriver } from "../../src/drivers/claude/claude-driver.ts";
import { createCodexDriver } from "../../src/drivers/codex/codex-driver.ts";
import { createPiDriver } from "../../src/drivers/pi/pi-driver.ts";
import { standIn } from "../help/agents-kernel.ts";
import { DriverBench, type BenchSession } from "../help/driver-bench.ts";

// What each wire says of how full the model's context is.

let bench: DriverBench;

beforeAll(async () => {
  bench = await DriverBench.start();
});
afterAll(() => bench.stop());

const DRIVERS = {
  "played-claude": createClaudeDriver,
  "fake-codex": createCodexDriver,
  "fake-pi": createPiDriver,
  "rough-acp": createAcpDriver,
} as const;

async function open(
  cli: keyof typeof DRIVERS,
  env: Record<string, string> = {},
): Promise<BenchSession> {
  const args = standIn(cli)?.args ?? [];
  return await bench.open(
    DRIVERS[cli](bench.host),
    await bench.input({ args, env }),
  );
}

const reportsOf = (session: BenchSession) =>
  session
    .of("context")
    .map(({ usedTokens, sizeTokens }) => [usedTokens, sizeTokens]);

const MODEL = "claude-opus-4-6";

function answer(input: number, more: object = {}, model = MODEL): object {
  const usage = {
    input_tokens: input,
    cache_creation_input_tokens: input && 300,
    cache_read_input_tokens: input && 4000,
    output_tokens: input && 10,
  };
  const content = [{ type: "text", text: "a" }];
  const message = { role: "assistant", model, content, usage };
  return { type: "assistant", message, parent_tool_use_id: null, ...more };
}

/** A turn of Claude Code with two answers, whose model goes by this name. */
const turnOf = (name: string) => [
  { type: "system", subtype: "init", model: name },
  answer(100),
  answer(9000, { parent_tool_use_id: "t1" }),
  answer(500),
  answer(0, {}, "<synthetic>"),
  {
    ...{ type: "result", subtype: "success", is_error: false, result: "a" },
    ...{ total_cost_usd: 0.1, usage: {} },
    modelUsage: {
      "claude-haiku-4-5": { contextWindow: 150_000 },
      [MODEL]: { contextWindow: 200_000 },
      [`${MODEL}[1m]`]: { contextWindow: 1_000_000 },
    },
  },
];

test.each([
  [MODEL, 200_000],
  [`${MODEL}[1m]`, 1_000_000],
])(
  "Claude Code: %s reads what was cached too, and can take %i with the first result",
  async (name, size) => {
    const play = JSON.stringify([turnOf(name)]);
    const session = await open("played-claude", { FAKE_CLAUDE_PLAY: play });
    await session.turn("go");
    const first = [4410, 4810];
    expect(reportsOf(session)).toEqual([
      ...first.map((tokens) => [tokens, null]),
      [4810, size],
    ]);
    await session.turn("go");
    expect(reportsOf(session).slice(3)).toEqual(
      [...first, 4810].map((tokens) => [tokens, size]),
    );
  },
);

test("Codex: the newest answer's tokens, with the size", async () => {
  const session = await open("fake-codex", { CODEX_HOME: bench.folder });
  await session.turn("[[tokens:100]][[tokens:40]][[tokens:x]][[reply:x]]");
  expect(reportsOf(session).slice(0, 2)).toEqual([
    [101, 258_400],
    [41, 258_400],
  ]);
});

test("pi: the tokens of the newest message, with the size of its model", async () => {
  const session = await open("fake-pi", { FAKE_PI_HOME: bench.folder });
  await session.turn("[[think:hm]][[cost:1]][[reply:x]][[fail:overloaded]]");
  expect(reportsOf(session)).toEqual([[120, 200_000]]);
});

test("an agent of the Agent Client Protocol: what it reports of the session, if it knows it", async () => {
  const session = await open("rough-acp");
  const updates = [
    { used: 0, size: 0 },
    { used: 5300, size: 128_000 },
    { used: 5400, size: 0 },
    { used: "many", size: 128_000 },
    { used: 0, size: 128_000 },
  ].map((fields) => {
    const update = { sessionUpdate: "usage_update", ...fields };
    return `[[update:${JSON.stringify(update)}]]`;
  });
  await session.turn(`${updates.join("")}[[foreign:x]][[reply:x]]`);
  expect(reportsOf(session)).toEqual([
    [5300, 128_000],
    [5400, null],
    [0, 128_000],
  ]);
});
