import { definePlugin } from "@gantry/plugin";
import { beforeEach, afterEach, describe, expect, test } from "vitest";
import { AgentMessages } from "../../src/contract.ts";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { FakeTerminals } from "../help/fake-terminals.ts";
import { MemoryDriver } from "../help/memory-driver.ts";
import { Runner } from "../help/runner.ts";

const NEVER = new AbortController().signal;

let memory: MemoryDriver;
let messages: AgentMessages;
let runner: Runner;
let terminals: FakeTerminals;
let agents: AgentsKernel;
/** An agent whose two runs, "one" and "two", had a session each. */
let id: string;
let first: string;
let second: string;

beforeEach(async () => {
  memory = new MemoryDriver();
  runner = new Runner();
  terminals = new FakeTerminals();
  const talker = definePlugin({
    id: "talker",
    api: 1,
    summary: "Talks to agents",
    mounts: [],
    needs: { messages: AgentMessages },
    setup: (ctx) => void (messages = ctx.needs.messages),
  });
  agents = await AgentsKernel.start({
    clis: memory.clis,
    beside: [memory.plugin, runner.plugin, terminals.plugin, talker],
  });
  id = await runner.createAgent("memory");
  first = (await runner.run(id, "one")).sessionId!;
  second = (await runner.run(id, "two")).sessionId!;
  expect(first).not.toBe(second);
});
afterEach(() => agents.kernel.stop());

const reply = (message: string, sessionId: string) =>
  messages.prompt(
    { agentId: id, message, kind: "follow_up", source: "test", sessionId },
    NEVER,
  );
const RETURNED = "The conversation continues an earlier session";
const shown = async () =>
  (await agents.entries(id)).map(({ role, text }) =>
    role === "system" ? text.split(",")[0] : text,
  );
const said = (text: string) =>
  agents.untilEntry(id, (entry) => entry.text === text, text);

describe("a message for an earlier session", () => {
  test("goes to that session, and later messages to theirs", async () => {
    await reply("three", first);
    await said("one | three");
    expect(await agents.get(id)).toMatchObject({ sessionId: first });
    await reply("four", second);
    await said("two | four");
    // A message that names no session goes to the current one.
    expect((await agents.ask(id, "five")).body.answer).toBe(
      "two | four | five",
    );
    expect(await shown()).toEqual([
      ...["one", "one", "two", "two"],
      ...[RETURNED, "three", "one | three"],
      ...[RETURNED, "four", "two | four", "five", "two | four | five"],
    ]);
  });

  test("that is the current session is a follow-up", async () => {
    await reply("three", second);
    await said("two | three");
  });

  test("waits for its turn behind others", async () => {
    const path = `/api/agents/${id}/tasks`;
    await agents.kernel.api.post(path, { payload: { message: "queued" } });
    await reply("three", first);
    await reply("four", second);
    await said("two | queued | four");
    expect((await shown()).slice(4)).toEqual([
      ...["queued", "two | queued"],
      ...[RETURNED, "three", "one | three"],
      ...[RETURNED, "four", "two | queued | four"],
    ]);
  });

  test("waits for the end of a turn of another session", async () => {
    void agents.ask(id, "hold");
    await expect.poll(() => memory.holding.length).toBe(1);
    await messages.prompt(
      {
        agentId: id,
        message: "three",
        kind: "steer",
        source: "test",
        sessionId: first,
      },
      NEVER,
    );
    memory.holding[0]!();
    await said("one | three");
  });

  test("outlives a restart", async () => {
    void agents.ask(id, "hold");
    await expect.poll(() => memory.holding.length).toBe(1);
    await reply("three", first);
    await agents.kernel.restart();
    expect((await agents.ask(id, "four")).body.answer).toBe(
      "one | three | four",
    );
  });

  test("is refused if the agent does not know the session, and changes nothing", async () => {
    await expect(reply("three", "session-9")).rejects.toMatchObject({
      code: "AGENT_SESSION_UNKNOWN",
      status: 409,
    });
    expect(await agents.get(id)).toMatchObject({ sessionId: second });
    expect(await agents.tasks(id)).toEqual([]);
  });

  test("is refused if its CLI has lost the session, and the current one stays", async () => {
    memory.sessions.delete(first);
    await expect(reply("three", first)).rejects.toMatchObject({
      code: "AGENT_SESSION_UNKNOWN",
    });
    expect((await agents.ask(id, "four")).body.answer).toBe("two | four");
  });

  test("fails in the queue if its CLI has lost the session, and others follow", async () => {
    const path = `/api/agents/${id}/tasks`;
    await agents.kernel.api.post(path, { payload: { message: "queued" } });
    memory.sessions.delete(first);
    const { taskId } = await reply("three", first);
    expect((await agents.ask(id, "four")).body.answer).toBe(
      "two | queued | four",
    );
    const failed = (await agents.tasks(id)).find((task) => task.id === taskId);
    expect(failed).toMatchObject({
      status: "failed",
      reason: expect.stringContaining(`no session ${first}`) as string,
    });
  });

  test("waits for the end of a run", async () => {
    const outcome = runner.run(id, "hold");
    await expect.poll(() => memory.holding.length).toBe(1);
    expect(await reply("three", first)).toMatchObject({ delivery: "queued" });
    memory.holding.pop()?.();
    expect(await outcome).toMatchObject({ failure: null, message: "hold" });
    await said("one | three");
  });

  test("waits for the end of a screen that shows another session", async () => {
    void agents.ask(id, "hold");
    await expect.poll(() => memory.holding.length).toBe(1);
    await reply("three", first);
    await agents.kernel.api.post(`/api/agents/${id}/open`);
    await reply("four", second);
    await expect.poll(() => terminals.pasted).toEqual(["four"]);
    await terminals.end(terminals.running[0]!);
    await said("one | three");
    expect(terminals.pasted).toEqual(["four"]);
  });

  test("is refused while the agent is open in a terminal, whose session is another", async () => {
    await agents.kernel.api.post(`/api/agents/${id}/open`);
    await expect(reply("three", first)).rejects.toMatchObject({
      code: "AGENT_IN_TERMINAL",
    });
    expect(terminals.pasted).toEqual([]);
  });

  test("a fork of it begins with the content of that session", async () => {
    await reply("three", first);
    await said("one | three");
    const entry = (await agents.entries(id)).find(
      ({ text, role }) => text === "three" && role === "user",
    )!;
    await agents.kernel.api.post(`/api/agents/${id}/fork`, {
      entryId: entry.id,
    });
    expect((await agents.ask(id, "other")).body.answer).toBe("one | other");
  });
});
