import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AgentDriver, OpenSession } from "../../src/driver.ts";
import { createCodexDriver } from "../../src/drivers/codex/codex-driver.ts";
import { standIn } from "../help/agents-kernel.ts";
import { DriverBench } from "../help/driver-bench.ts";
import { until } from "../help/wait.ts";
import { testCopies } from "./copies-suite.ts";
import { testDriver } from "./driver-suite.ts";

const NEVER = new AbortController().signal;

testDriver({
  name: "Codex, on the wire of 0.169.0",
  clis: (home) => ({ codex: standIn("fake-codex", { CODEX_HOME: home }) }),
  cli: "codex",
  rough: "codex",
  steers: true,
  askTitle: (title) => `shell: ${title}`,
  reportsNothing: true,
  answerCost: null,
});

testCopies({
  name: "Codex, on the wire of 0.169.0",
  prepare: async ({ host, folder }) => ({
    driver: createCodexDriver(host),
    command: {
      args: standIn("fake-codex")?.args ?? [],
      env: { CODEX_HOME: folder },
    },
  }),
  listed: null,
  forks: true,
  clones: true,
  compacts: true,
});

let bench: DriverBench;
let driver: AgentDriver;

beforeAll(async () => {
  bench = await DriverBench.start();
  driver = createCodexDriver(bench.host);
});
afterAll(() => bench.stop());

const inputOf = (
  more: Partial<OpenSession> = {},
  env: Record<string, string> = {},
) =>
  bench.input(
    {
      args: standIn("fake-codex")?.args ?? [],
      env: { CODEX_HOME: bench.folder, ...env },
    },
    more,
  );

test("Codex is told what the agent was given, and nothing else", async () => {
  const plain = await inputOf();
  const open = await bench.open(driver, plain);
  expect(JSON.parse((await open.turn("[[settings]]")).answer)).toEqual({
    cwd: plain.cwd,
  });
  const input = await inputOf({
    model: "gpt-5.5",
    thinking: "high",
    extraPrompt: "Always rhyme.",
    readOnly: true,
    trusted: false,
  });
  const given = await bench.open(driver, input);
  expect(JSON.parse((await given.turn("[[settings]]")).answer)).toEqual({
    cwd: input.cwd,
    model: "gpt-5.5",
    developerInstructions: "Always rhyme.",
    sandbox: "read-only",
    approvalPolicy: "never",
    config: {
      model_reasoning_effort: "high",
      projects: { [input.cwd]: { trust_level: "untrusted" } },
    },
  });
});

test("a usage limit of Codex is told with the time at which it is over", async () => {
  const open = await bench.open(driver, await inputOf());
  const limits = {
    primary: { usedPercent: 100, windowDurationMins: 300, resetsAt: 2e9 },
    secondary: { usedPercent: "81.6", windowDurationMins: 10_080 },
  };
  const failure = {
    message: "Limit reached.",
    codexErrorInfo: "usageLimitExceeded",
    additionalDetails: "Upgrade to Pro.",
  };
  await open.turn(
    `[[limits:{"primary":7}]][[limits:${JSON.stringify(limits)}]][[reply:x]]`,
  );
  const resetsAt = "2033-05-18T03:33:20.000Z";
  expect(open.of("windows").at(-1)?.windows).toEqual([
    { name: "5 hours", usedPercent: 100, resetsAt, state: "used-up" },
    {
      ...{ name: "7 days", usedPercent: 82, resetsAt: null },
      state: "nearly-used",
    },
  ]);
  const ended = await open.turn(`[[failure:${JSON.stringify(failure)}]]`);
  expect(ended).toMatchObject({
    stopReason: "error",
    error: "Limit reached: Upgrade to Pro.",
    problem: { kind: "usage-limit", resetsAt },
  });
});

test("what Codex says when its turn is over is told outside of turns", async () => {
  const open = await bench.open(driver, await inputOf());
  await open.turn("[[late:And more.]][[reply:x]]");
  const late = await until(
    () => open.of("message").find(({ text }) => text === "And more."),
    "it is told",
  );
  expect(late.turn).toBeNull();
});

test("Codex starts no tool server of the user where it must not write", async () => {
  const env = { FAKE_CODEX_SERVERS: "files,web" };
  for (const how of [{ asksFirst: true }, { readOnly: true }]) {
    const open = await bench.open(driver, await inputOf(how, env));
    expect(JSON.parse((await open.turn("[[settings]]")).answer)).toMatchObject({
      sandbox: "read-only",
      approvalPolicy: "never",
      config: {
        mcp_servers: { files: { enabled: false }, web: { enabled: false } },
      },
    });
  }
});

test(
  "a Codex that does not list its tool servers cannot be kept to asking",
  { tags: "thorough" },
  async () => {
    const env = { FAKE_CODEX_SERVERS: "unknown" };
    await expect(
      bench.open(driver, await inputOf({ asksFirst: true }, env)),
    ).rejects.toMatchObject({ code: "AGENT_NEVER_ASKS" });
    const open = await bench.open(
      driver,
      await inputOf({ readOnly: true }, env),
    );
    expect((await open.turn("[[reply:hi]]")).answer).toBe("hi");
  },
);

test(
  "Codex's tokens are counted by difference, and those of before are not paid again",
  { tags: "thorough" },
  async () => {
    const open = await bench.open(driver, await inputOf());
    await open.turn("[[tokens:100]][[tokens:40]][[reply:x]]");
    expect(open.of("usage").map(({ usage }) => usage)).toEqual([
      { inputTokens: 100, outputTokens: 1, costUsd: null },
      { inputTokens: 40, outputTokens: 0, costUsd: null },
    ]);
    // A total that starts over and one that is not a number end neither the turn nor the process.
    const odd = await bench.open(driver, await inputOf());
    const { answer } = await odd.turn("[[tokens:-200]][[tokens:x]][[reply:y]]");
    expect(answer).toBe("y");
  },
);

test("a plan and a question of Codex are told", async () => {
  const open = await bench.open(driver, await inputOf());
  const turn = open.turn("[[plan:look;do]][[question:Which?]]");
  const { dialog } = await until(() => open.of("dialog-opened")[0], "asked");
  expect(dialog).toMatchObject({ kind: "question", title: "Which?" });
  await open.session.answer(
    dialog.id,
    { kind: "option", optionId: "Red" },
    NEVER,
  );
  expect(JSON.parse((await turn).answer)).toEqual({ q1: { answers: ["Red"] } });
  expect(open.of("plan")[0]?.items).toEqual([
    { text: "look", status: "in_progress" },
    { text: "do", status: "pending" },
  ]);
});

test(
  "a message that was said in the middle of a turn is no place to copy up to",
  { tags: "thorough" },
  async () => {
    const input = await inputOf();
    const open = await bench.open(driver, input);
    const turn = open.turn("[[reply:a]][[sleep:300]]");
    await until(() => open.of("message").length > 0, "it answers");
    await open.session.steer({ text: "[[reply:b]]", images: [] }, NEVER);
    await turn;
    await open.session.end();
    const resume = open.resumePoint({ keepPrompts: 1 });
    await expect(bench.open(driver, { ...input, resume })).rejects.toThrow(
      "whole turns",
    );
  },
);

test("a thread that Codex has lost starts over, and says so", async () => {
  const open = await bench.open(driver, await inputOf());
  const resume = { ...open.resumePoint(), sessionId: "gone" };
  const again = await bench.open(driver, { ...(await inputOf()), resume });
  expect(again.of("notice")[0]?.text).toContain("begins again");
});

test("Codex's screen continues a recorded thread, and leaves no server behind", async () => {
  const input = { ...(await inputOf()), receiver: { url: "", token: "" } };
  const quiet = ["-c", "features.daemon_auto_start=false"];
  const fresh = await driver.screen?.(
    { ...input, model: "m", thinking: "low", readOnly: true },
    NEVER,
  );
  expect(fresh?.session).toBeNull();
  expect(fresh?.args.slice(1)).toEqual([
    ...quiet,
    ...["--model", "m", "-c", 'model_reasoning_effort="low"'],
    ...["--sandbox", "read-only", "--ask-for-approval", "never"],
  ]);
  const resumeKey = join(bench.folder, "rollout.json");
  await writeFile(resumeKey, "");
  const resume = {
    sessionId: "t1",
    resumeKey,
    reportedCostUsd: null,
    fork: null,
  };
  const shown = await driver.screen?.({ ...input, resume }, NEVER);
  expect(shown?.args.slice(1)).toEqual(["resume", "t1", ...quiet]);
  expect(shown?.session).toEqual({ sessionId: "t1", resumeKey });
});
