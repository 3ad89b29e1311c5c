import { cases } from "@gantry/build/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TurnBlocked } from "../../src/contract.ts";
import { AgentsKernel, standIn } from "../help/agents-kernel.ts";
import { INIT, limited, result, say, useTool } from "../help/claude-lines.ts";
import { Runner } from "../help/runner.ts";
import { ScriptedCli } from "../help/scripted-cli.ts";
import { until } from "../help/wait.ts";

const WORDS = "You've hit your limit · resets 3pm";
const RESETS_AT = "2026-11-30T00:53:20.000Z";
const marked = (mark: unknown, words: string) => say(words, { error: mark });

/** How a turn is played, and what it fails with. */
const FAILURES = {
  "rejected, and marked": [
    [INIT, limited("rejected"), marked("rate_limit", WORDS), result(WORDS)],
    { kind: "usage-limit", resetsAt: RESETS_AT },
  ],
  "rejected without a mark": [
    [INIT, limited("rejected"), say(WORDS), result(WORDS)],
    { kind: "usage-limit", resetsAt: RESETS_AT },
  ],
  "marked only": [
    [INIT, marked("rate_limit", WORDS), result(WORDS)],
    { kind: "usage-limit", resetsAt: null },
  ],
  "not logged in": [
    [
      INIT,
      marked("authentication_failed", "Invalid API key · Please run /login"),
      result("Invalid API key · Please run /login"),
    ],
    { kind: "authentication", resetsAt: null },
  ],
  "without credit": [
    [INIT, marked("billing_error", "Credit balance is too low"), result("x")],
    { kind: "billing", resetsAt: null },
  ],
  overloaded: [
    [INIT, marked("server_error", "API Error: 529 Overloaded"), result("x")],
    { kind: "overload", resetsAt: null },
  ],
  "a mark of another kind": [
    [INIT, marked({ new: "form" }, "It went wrong."), result("It went wrong.")],
    null,
  ],
  "a subtype of the future": [
    [INIT, say("half"), result("", { subtype: "error_max_patience" })],
    null,
  ],
  "an error told in the result": [
    [INIT, result("API Error: Overloaded", { is_error: true })],
    { kind: "overload", resetsAt: null },
  ],
} as const;

const SUCCESSES = {
  allowed: [INIT, limited("allowed"), say("Yes"), result("Yes")],
  warned: [INIT, limited("allowed_warning"), say("Yes"), result("Yes")],
  "rejected, then allowed": [
    ...[INIT, limited("rejected"), limited("allowed"), say("Yes")],
    result("Yes"),
  ],
  "rejected, and paid for": [
    ...[INIT, limited("rejected", { overageStatus: "allowed" }), say("Yes")],
    result("Yes"),
  ],
  "marked, then tried again": [
    ...[INIT, marked("server_error", "529"), say("Yes"), result("Yes")],
  ],
  "rejected before it worked": [
    ...[INIT, limited("rejected"), useTool("u1", "true"), say("Yes")],
    result("Yes"),
  ],
  "a helper's mark": [
    INIT,
    { ...marked("rate_limit", "x"), parent_tool_use_id: "u1" },
    ...[say("Yes"), result("Yes")],
  ],
} as const;

const plays = {
  ...Object.fromEntries(
    Object.entries(FAILURES).map(([name, [play]]) => [name, play]),
  ),
  ...SUCCESSES,
};
const nameOf = (name: string) => name.replaceAll(/[^a-z]+/g, "-");

let agents: AgentsKernel;
const runner = new Runner();

beforeAll(async () => {
  agents = await AgentsKernel.start({
    clis: {
      ...Object.fromEntries(
        Object.entries(plays).map(([name, play]) => [
          nameOf(name),
          standIn("played-claude", {
            FAKE_CLAUDE_PLAY: JSON.stringify([play]),
          }),
        ]),
      ),
      gone: standIn("played-claude", {
        FAKE_CLAUDE_PLAY: JSON.stringify([[INIT, say("hi"), result("hi")]]),
        FAKE_CLAUDE_REFUSES: "old",
      }),
      mute: standIn("played-claude", {
        FAKE_CLAUDE_PLAY: JSON.stringify([[INIT, result("")]]),
      }),
    },
    limits: { openAgents: 50 },
    beside: [runner.plugin],
  });
});
afterAll(() => agents.kernel.stop());

describe("a turn fails", () => {
  test.each(cases(Object.entries(FAILURES), 6))(
    "that is %s",
    async (name, [, problem]) => {
      const outcome = await runner.run(
        await runner.createAgent(nameOf(name)),
        "go",
      );
      expect(outcome).toMatchObject({ failure: "agent-error", problem });
      if (problem?.resetsAt) expect(outcome.message).toContain("2026-11-30");
    },
  );

  test("in a chat as in a run, and is reported with the way out", async () => {
    const { id } = await agents.create({ cli: nameOf("rejected, and marked") });
    const { status, body } = await agents.ask(id, "go");
    expect([status, body["code"]]).toEqual([502, "AGENT_TURN_FAILED"]);
    expect(body["detail"]).toContain(WORDS);
    const { problem } = await agents.get(id);
    const said = { kind: "usage-limit", resetsAt: RESETS_AT };
    expect(problem).toMatchObject(said);
    const news = agents.kernel.events
      .all(TurnBlocked)
      .filter(({ subject }) => subject === id);
    expect(news.map(({ data }) => data)).toMatchObject([
      { ...said, runId: null, agentName: "Tester" },
    ]);
  });

  test(
    "without words in a chat as in a run",
    { tags: ["thorough"] },
    async () => {
      const { id } = await agents.create({ cli: "mute" });
      const words = "ended its turn without an answer";
      const { status, body } = await agents.ask(id, "go");
      expect(status).toBe(502);
      expect(body["detail"]).toContain(words);
      const error = (await agents.entries(id)).find(
        ({ kind }) => kind === "error",
      );
      expect(error?.text).toContain(words);
      const outcome = await runner.run(await runner.createAgent("mute"), "go");
      expect(outcome.failure).toBe("agent-error");
      expect(outcome.message).toContain(words);
    },
  );
});

describe("a turn is good", () => {
  test.each(cases(Object.keys(SUCCESSES), 2))("that is %s", async (name) => {
    const outcome = await runner.run(
      await runner.createAgent(nameOf(name)),
      "go",
    );
    expect(outcome).toMatchObject({ failure: null, message: "Yes" });
  });
});

test("limits of the subscription are listed with the CLI that reported them", async () => {
  const name = nameOf("warned");
  const { body } = await agents.kernel.api.get<{
    items: { name: string; windows: object[] }[];
  }>("/api/agents/clis", { limit: 100 });
  const windowsOf = (cli: string) =>
    body.items.find((item) => item.name === cli)?.windows;
  const resetsAt = RESETS_AT;
  expect(windowsOf(name)).toEqual(
    Date.now() < Date.parse(resetsAt)
      ? [{ name: "5 hours", usedPercent: null, resetsAt, state: "nearly-used" }]
      : [],
  );
  expect(windowsOf("practice")).toEqual([]);
});

test("a CLI that does not start with its model starts with the default one, and says so", async () => {
  const { id } = await agents.create({ cli: "gone", model: "old" });
  expect((await agents.ask(id, "go")).body.answer).toBe("hi");
  const said = (await agents.entries(id)).find(({ kind }) => kind === "notice");
  expect(said?.text).toMatch(/no model "old".*default model is used/);
});

test("a run that takes too long says what it did last", async () => {
  const cli = new ScriptedCli({ isReadable: true });
  const own = new Runner();
  await using kernel = await AgentsKernel.start({
    clis: cli.clis,
    beside: [cli.plugin(), own.plugin],
    fakeTime: true,
  });
  const run = own.run(await own.createAgent("scripted"), "go", {
    timeoutMs: 60_000,
  });
  await until(() => cli.hasPrompt, "it has the prompt");
  await cli.work();
  await kernel.kernel.clock.advance(60_000);
  expect(await run).toMatchObject({
    failure: "timeout",
    message:
      "The run took longer than 1 minute and was stopped. The last thing it said was: …",
  });
});
