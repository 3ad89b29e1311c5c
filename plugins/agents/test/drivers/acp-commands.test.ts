import { afterAll, beforeAll, expect, test } from "vitest";
import type { AgentDriver } from "../../src/driver.ts";
import { createAcpDriver } from "../../src/drivers/acp/acp-driver.ts";
import { standIn } from "../help/agents-kernel.ts";
import { DriverBench, type BenchSession } from "../help/driver-bench.ts";

const NEVER = new AbortController().signal;

let bench: DriverBench;
let driver: AgentDriver;

beforeAll(async () => {
  bench = await DriverBench.start();
  driver = createAcpDriver(bench.host);
});
afterAll(() => bench.stop());

const open = async (): Promise<BenchSession> =>
  await bench.open(
    driver,
    await bench.input({ args: standIn("rough-acp")?.args ?? [] }),
  );

test("commands are those of the last update, whatever they look like", async () => {
  const rough = await open();
  expect(rough.session.capabilities).toMatchObject({
    commands: false,
    compact: false,
    clone: false,
    fork: false,
  });
  await rough.turn(
    `[[update:${JSON.stringify({
      sessionUpdate: "available_commands_update",
      availableCommands: [
        { name: "/compact", description: "Shrinks", input: { hint: "x" } },
        { name: "odd", description: 5 },
      ],
    })}]]`,
  );
  expect(rough.of("commands")).toEqual([
    {
      type: "commands",
      commands: [
        { name: "compact", description: "Shrinks", source: "cli" },
        { name: "odd", description: "", source: "cli" },
      ],
    },
  ]);
  expect(rough.session.capabilities).toMatchObject({
    commands: true,
    compact: true,
  });
  await rough.turn(
    `[[update:${JSON.stringify({ sessionUpdate: "available_commands_update", availableCommands: "none" })}]]`,
  );
  expect(rough.session.capabilities).toMatchObject({
    commands: false,
    compact: false,
  });
});

test("what it has no command for is refused by name", async () => {
  const { session } = await open();
  await expect(session.compact?.(NEVER)).rejects.toMatchObject({
    code: "AGENT_UNSUPPORTED",
  });
});

test("a plan is told whole each time; an odd state of a step is a step to do", async () => {
  const rough = await open();
  const plan = (status: string) => ({
    sessionUpdate: "plan",
    entries: [{ content: "look", priority: "high", status }],
  });
  await rough.turn(
    `[[update:${JSON.stringify(plan("in_progress"))}]][[update:${JSON.stringify(plan("someday"))}]]`,
  );
  expect(rough.of("plan").map(({ items }) => items)).toEqual([
    [{ text: "look", status: "in_progress" }],
    [{ text: "look", status: "pending" }],
  ]);
});

test("a copy of a conversation is refused by an agent that makes none", async () => {
  const input = await bench.input({
    args: standIn("rough-acp")?.args ?? [],
  });
  const resume = {
    sessionId: "s1",
    resumeKey: null,
    reportedCostUsd: null,
    fork: { keepPrompts: null },
  };
  await expect(bench.open(driver, { ...input, resume })).rejects.toMatchObject({
    code: "AGENT_UNSUPPORTED",
  });
});

test("what an agent says to a compaction is no answer of its own", async () => {
  const rough = await open();
  await rough.turn(
    `[[update:${JSON.stringify({ sessionUpdate: "available_commands_update", availableCommands: [{ name: "compact", description: "" }] })}]]`,
  );
  const before = rough.events.length;
  expect(await rough.session.compact?.(NEVER)).toEqual({
    compacted: true,
    tokensBefore: null,
    tokensAfter: null,
  });
  expect(rough.events.slice(before)).toEqual([]);
});

test("a tool is reported again when more is known of it", async () => {
  const rough = await open();
  const call = (sessionUpdate: string, more: object) =>
    `[[update:${JSON.stringify({ sessionUpdate, toolCallId: "t1", ...more })} ]]`;
  await rough.turn(
    call("tool_call", { title: "bash", kind: "execute", status: "pending" }) +
      call("tool_call_update", { rawInput: { command: "ls" } }) +
      call("tool_call_update", { status: "in_progress" }) +
      call("tool_call_update", { status: "completed", title: "List" }),
  );
  const told = rough.of("tool-started");
  expect(told.map(({ title, input }) => [title, input])).toEqual([
    ["bash", ""],
    ["bash", '{"command":"ls"}'],
    ["List", '{"command":"ls"}'],
  ]);
  expect(new Set(told.map(({ callId }) => callId))).toEqual(new Set(["t1"]));
  expect(rough.of("tool-ended")).toHaveLength(1);
});

test("the late answer to a command that was given up does not end the turn that follows", async () => {
  const rough = await bench.open(
    driver,
    await bench.input({
      args: standIn("rough-acp")?.args ?? [],
      env: { ROUGH_SLOW_COMPACT: "1" },
    }),
  );
  await rough.turn(
    `[[update:${JSON.stringify({
      sessionUpdate: "available_commands_update",
      availableCommands: [{ name: "compact", description: "Shrinks" }],
    })}]]`,
  );
  const given = new AbortController();
  const shrunk = rough.session.compact?.(given.signal);
  given.abort(new Error("Given up."));
  await expect(shrunk).rejects.toThrow("Given up.");
  const end = await rough.turn("[[reply:mine]]");
  expect(end).toMatchObject({ stopReason: "end", answer: "mine" });
});
