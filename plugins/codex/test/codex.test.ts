import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { AgentDriver, OpenSession } from "@gantry/agent-kit";
import { createCodexDriver } from "../src/codex-driver.ts";
import {
  testCopies,
  testDriver,
  type DriverSubject,
} from "@gantry/agent-kit/conformance";
import { toStandIn, DriverBench, until } from "@gantry/agent-kit/testing";
import { FAKE_CODEX } from "./testing.ts";

const NEVER = new AbortController().signal;

const subject = {
  name: "Codex, on the wire of 0.169.0",
  prepare: async ({ host, folder }: DriverBench) => ({
    driver: createCodexDriver(host),
    command: {
      args: toStandIn(FAKE_CODEX).args,
      env: { CODEX_HOME: folder },
    },
  }),
} satisfies DriverSubject;

testDriver(subject);

testCopies({
  ...subject,
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

const ownArguments = toStandIn(FAKE_CODEX).args.length;

const inputOf = (
  more: Partial<OpenSession> = {},
  env: Record<string, string> = {},
) =>
  bench.input(
    {
      args: toStandIn(FAKE_CODEX).args,
      env: { CODEX_HOME: bench.folder, ...env },
    },
    more,
  );

test("Codex receives the agent's settings, and nothing else", async () => {
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

test("a Codex that does not report its tool servers cannot be made to ask first", async () => {
  const env = { FAKE_CODEX_SERVERS: "unknown" };
  await expect(
    bench.open(driver, await inputOf({ asksFirst: true }, env)),
  ).rejects.toMatchObject({ code: "AGENT_NEVER_ASKS" });
  const open = await bench.open(driver, await inputOf({ readOnly: true }, env));
  expect((await open.turn("[[reply:hi]]")).answer).toBe("hi");
});

test("Codex's tokens are counted by difference, and earlier ones are not counted again", async () => {
  const open = await bench.open(driver, await inputOf());
  await open.turn("[[tokens:100]][[tokens:40]][[reply:x]]");
  expect(open.of("usage").map(({ usage }) => usage)).toEqual([
    { inputTokens: 100, outputTokens: 1, costUsd: null },
    { inputTokens: 40, outputTokens: 0, costUsd: null },
  ]);
  for (const tokens of ["-200", "x"]) {
    const bad = await bench.open(driver, await inputOf());
    await bad.session.prompt(
      { text: `[[tokens:${tokens}]]`, images: [], turn: "trn_x" },
      NEVER,
    );
    expect(await bad.session.ended).toMatchObject({ reason: "protocol" });
  }
});

test("a plan and a question of Codex are reported", async () => {
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

test("a copy cannot end at a message in the middle of a turn", async () => {
  const input = await inputOf();
  const open = await bench.open(driver, input);
  const turn = open.turn("[[reply:a]][[sleep:300]]");
  await until(() => open.of("message").length > 0, "it answers");
  await open.session.steer!({ text: "[[reply:b]]", images: [] }, NEVER);
  await turn;
  await open.session.end();
  const resume = open.resumePoint({ keepPrompts: 1 });
  await expect(bench.open(driver, { ...input, resume })).rejects.toThrow(
    "whole turns",
  );
});

test("a thread that Codex has lost starts over, with a notice", async () => {
  const open = await bench.open(driver, await inputOf());
  const resume = { ...open.resumePoint(), sessionId: "gone" };
  const again = await bench.open(driver, { ...(await inputOf()), resume });
  expect(again.of("notice")[0]?.text).toContain("starts over");
});

test("Codex's screen resumes a stored thread, and leaves no server behind", async () => {
  const input = { ...(await inputOf()), receiver: { url: "", token: "" } };
  const quiet = ["-c", "features.daemon_auto_start=false"];
  const fresh = await driver.screen?.(
    { ...input, model: "m", thinking: "low", readOnly: true },
    NEVER,
  );
  expect(fresh?.session).toBeNull();
  expect(fresh?.args.slice(ownArguments)).toEqual([
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
  expect(shown?.args.slice(ownArguments)).toEqual(["resume", "t1", ...quiet]);
  expect(shown?.session).toEqual({ sessionId: "t1", resumeKey });
});
