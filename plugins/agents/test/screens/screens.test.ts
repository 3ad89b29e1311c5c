import {
  afterAll,
  beforeAll,
  describe,
  expect,
  onTestFinished,
  test,
} from "vitest";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { FakeTerminals } from "../help/fake-terminals.ts";
import { MemoryDriver } from "../help/memory-driver.ts";
import { TameDriver } from "../help/tame-driver.ts";
import { until } from "../help/wait.ts";

let agents: AgentsKernel;
const memory = new MemoryDriver();
const tame = new TameDriver();
const terminals = new FakeTerminals();

beforeAll(async () => {
  agents = await AgentsKernel.start({
    clis: { ...memory.clis, ...tame.clis },
    beside: [memory.plugin, tame.plugin, terminals.plugin],
    limits: { openAgents: 50 },
  });
});
afterAll(async () => {
  await agents.kernel.stop();
  await terminals.stop();
});

const create = () => agents.create({ cli: "memory" });
const post = (id: string, path: string, body: object = {}) =>
  agents.kernel.api.post<Record<string, unknown>>(
    `/api/agents/${id}/${path}`,
    body,
  );
const open = async (id: string) =>
  String((await post(id, "open")).body["terminalId"]);

/** The receiver in the screen that was opened last, as a CLI's extension would be it. */
function receiverOf(id: string) {
  const screen = memory.screens.findLast(({ agentId }) => agentId === id);
  if (!screen) throw new Error("The agent has no screen.");
  const { url, token } = screen.receiver;
  const path = new URL(url).pathname;
  const call = (operation: string, body: object, bearer = token) =>
    agents.kernel.stranger.post<{
      messages: { nonce: string; text: string }[];
    }>(`${path}/${operation}`, body, { authorization: `Bearer ${bearer}` });
  const hello = (body: object = {}, bearer?: string) =>
    call("tui-hello", body, bearer);
  return {
    hello,
    /** Two ask, and the one that comes second lets the first go: from then on the receiver is there. */
    async listen() {
      const asking = [hello(), hello()];
      const gone = await Promise.race(
        asking.map((answer, index) => answer.then(() => index)),
      );
      return { answer: asking[1 - gone] };
    },
    ack: (body: object) => call("tui-ack", body),
  };
}

describe("open", () => {
  test("shows the CLI's own screen on the conversation, and ends the driven process", async () => {
    const { id } = await create();
    await agents.ask(id, "one");
    const { sessionId } = await agents.get(id);
    const terminalId = await open(id);
    expect(terminals.opened.at(-1)).toMatchObject({
      name: "Tester",
      cli: "memory",
      agent: { id, name: "Tester" },
      program: { args: ["--screen", sessionId] },
    });
    expect(await agents.get(id)).toMatchObject({
      state: "open",
      mode: "terminal",
      terminalId,
      sessionId,
    });
    expect(await open(id)).toBe(terminalId);
  });

  test("close ends the terminal, and the conversation continues", async () => {
    const { id } = await create();
    await agents.ask(id, "one");
    const terminalId = await open(id);
    await agents.close(id);
    expect(terminals.running).not.toContain(terminalId);
    expect(await agents.get(id)).toMatchObject({
      state: "closed",
      mode: null,
      terminalId: null,
    });
    expect((await agents.ask(id, "two")).body.answer).toBe("one | two");
  });

  test("starting it managed ends the terminal first", async () => {
    const { id } = await create();
    const terminalId = await open(id);
    expect((await post(id, "managed/start")).body).toEqual({ mode: "managed" });
    expect(terminals.running).not.toContain(terminalId);
    expect(await agents.get(id)).toMatchObject({ mode: "managed" });
  });

  test("a program that ends closes the agent", async () => {
    const { id } = await create();
    await terminals.end(await open(id));
    await agents.untilAgent(
      id,
      ({ state }) => state === "closed",
      "the agent is closed",
    );
    expect((await agents.ask(id, "on")).body.answer).toBe("on");
  });

  test("a program that ends at once closes the agent as well", async () => {
    const { id } = await create();
    terminals.endsAtOnce = true;
    onTestFinished(() => void (terminals.endsAtOnce = false));
    await open(id);
    await agents.untilAgent(
      id,
      ({ state, mode }) => state === "closed" && mode === null,
      "the agent is closed",
    );
    expect((await agents.ask(id, "on")).body.answer).toBe("on");
  });

  test("deleting the agent ends the terminal", async () => {
    const { id } = await create();
    const terminalId = await open(id);
    await agents.kernel.api.delete(`/api/agents/${id}`);
    expect(terminals.running).not.toContain(terminalId);
  });

  test("requests do not wait for an answer there, and settings cannot change", async () => {
    const { id } = await create();
    await open(id);
    expect((await agents.ask(id, "x")).body["code"]).toBe("AGENT_IN_TERMINAL");
    const { status } = await agents.kernel.api.patch(`/api/agents/${id}`, {
      extraPrompt: null,
      readOnly: false,
      cwd: null,
    });
    expect(status).toBe(200);
    for (const path of ["compact", "managed/stop"])
      expect((await post(id, path)).status).toBeLessThan(500);
  });

  test("a CLI without a screen is 501", async () => {
    const { id } = await agents.create({ cli: "tame" });
    expect((await post(id, "open")).status).toBe(501);
    expect((await post(id, "login")).status).toBe(501);
  });

  test("without terminals it is 503 that says so", async () => {
    await using bare = await AgentsKernel.start({
      clis: memory.clis,
      beside: [memory.plugin],
    });
    const { id } = await bare.create({ cli: "memory" });
    for (const path of ["open", "login"])
      expect(
        await bare.kernel.api.post(`/api/agents/${id}/${path}`),
      ).toMatchObject({
        status: 503,
        body: { code: "AGENT_TERMINALS_MISSING" },
      });
  });

  test("a screen outlives the daemon, and keeps its conversation to itself", async () => {
    const own = new FakeTerminals();
    await using other = await AgentsKernel.start({
      clis: memory.clis,
      beside: [memory.plugin, own.plugin],
    });
    const { id } = await other.create({ cli: "memory" });
    await other.ask(id, "one");
    const { body } = await other.kernel.api.post<{ terminalId: string }>(
      `/api/agents/${id}/open`,
    );
    await other.kernel.restart();
    expect(await other.get(id)).toMatchObject({
      mode: "terminal",
      terminalId: body.terminalId,
    });
    await other.kernel.api.post(`/api/agents/${id}/close`);
    expect(own.running).toEqual([]);
    expect((await other.ask(id, "two")).body.answer).toBe("one | two");
  });
});

test("a screen that ended while the daemon was away is closed when it is back", async () => {
  const own = new FakeTerminals();
  await using other = await AgentsKernel.start({
    clis: memory.clis,
    beside: [memory.plugin, own.plugin],
  });
  const { id } = await other.create({ cli: "memory" });
  const { body } = await other.kernel.api.post<{ terminalId: string }>(
    `/api/agents/${id}/open`,
  );
  await own.lose(body.terminalId);
  await other.kernel.restart();
  await other.untilAgent(
    id,
    ({ state, terminalId }) => state === "closed" && terminalId === null,
    "the agent is closed",
  );
});

describe("login", () => {
  test("opens the CLI's own login in a terminal that is no agent's", async () => {
    const { id } = await create();
    const { body } = await post(id, "login");
    expect(terminals.running).toContain(body["terminalId"]);
    expect(terminals.opened.at(-1)).toMatchObject({
      agent: null,
      program: { args: ["--login"] },
    });
    expect(await agents.get(id)).toMatchObject({ state: "closed" });
  });
});

describe("messages to a screen", () => {
  test("go to the receiver, and are delivered when it confirms", async () => {
    const { id } = await create();
    await open(id);
    const receiver = receiverOf(id);
    const { answer } = await receiver.listen();
    await post(id, "prompt", { message: "hello there" });
    const [message] = (await answer)?.body.messages ?? [];
    expect(message).toMatchObject({ text: "hello there" });
    expect(
      (await receiver.ack({ nonce: message?.nonce, ok: true })).status,
    ).toBe(200);
    const [task] = await until(async () => {
      const tasks = await agents.tasks(id);
      return tasks[0]?.status === "delivered" && tasks;
    }, "the task is delivered");
    expect(task).toMatchObject({ via: "receiver", reason: null });
    expect(
      (await receiver.ack({ nonce: message?.nonce, ok: true })).status,
    ).toBe(409);
    expect(terminals.pasted).not.toContain("hello there");
  });

  test("what the receiver cannot take has failed with its reason", async () => {
    const { id } = await create();
    await open(id);
    const receiver = receiverOf(id);
    const { answer } = await receiver.listen();
    await post(id, "prompt", { message: "no" });
    const [message] = (await answer)?.body.messages ?? [];
    await receiver.ack({
      nonce: message?.nonce,
      ok: false,
      reason: "Not now.",
    });
    const task = await until(async () => {
      const [first] = await agents.tasks(id);
      return first?.status === "failed" && first;
    }, "the task has failed");
    expect(task).toMatchObject({ reason: "Not now.", via: "receiver" });
  });

  test("without a receiver they are pasted, in order, and it is said", async () => {
    const { id } = await create();
    await open(id);
    const before = terminals.pasted.length;
    for (const message of ["first", "second\nline"])
      await post(id, "prompt", { message });
    const tasks = await until(async () => {
      const all = await agents.tasks(id);
      return all.every(({ status }) => status === "delivered") && all;
    }, "the tasks are delivered");
    expect(tasks.map(({ via }) => via)).toEqual(["paste", "paste"]);
    const { body } = await agents.kernel.api.get(`/api/agents/${id}/delivery`);
    expect(body).toMatchObject({
      ways: { protocol: 0, receiver: 0, paste: 2 },
      way: "paste",
    });
    expect(terminals.pasted.slice(before)).toEqual(["first", "second\nline"]);
    expect((await agents.entries(id)).map(({ text }) => text)).toContain(
      "first",
    );
  });

  test("pictures cannot go there", async () => {
    const { id } = await create();
    await open(id);
    const image = { mimeType: "image/png", data: "AAAA" };
    const { status } = await post(id, "prompt", {
      message: "x",
      images: [image],
    });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(await agents.tasks(id)).toEqual([]);
  });

  test("the conversation that the screen shows is learned from the receiver", async () => {
    const { id } = await create();
    await open(id);
    const waiting = receiverOf(id).hello({ sessionId: "another" });
    await agents.untilAgent(
      id,
      ({ sessionId }) => sessionId === "another",
      "the conversation is known",
    );
    await agents.close(id);
    expect((await waiting).body.messages).toEqual([]);
  });

  test("a receiver that asks while its screen is closed is answered at once", async () => {
    for (const sessionId of ["one", "two", "three", "four"]) {
      const { id } = await create();
      await open(id);
      const begin = performance.now();
      const [answer] = await Promise.all([
        receiverOf(id).hello({ sessionId }),
        agents.close(id),
      ]);
      expect([200, 401]).toContain(answer.status);
      // It would be kept waiting for a message for 10 s.
      expect(performance.now() - begin).toBeLessThan(10_000);
    }
  });

  test("another token, another agent and no screen get the same 401", async () => {
    const { id } = await create();
    const { id: other } = await create();
    await open(id);
    const { hello } = receiverOf(id);
    const wrong = await hello({}, "wrong");
    expect(wrong).toMatchObject({
      status: 401,
      body: { code: "AGENT_RECEIVER_UNAUTHORIZED" },
    });
    const token = memory.screens.at(-1)?.receiver.token ?? "";
    for (const agentId of [other, "agt_none", "x"]) {
      const answer = await agents.kernel.stranger.post(
        `/api/agents/${agentId}/tui-hello`,
        {},
        { authorization: `Bearer ${token}` },
      );
      expect(answer.status).toBe(401);
      expect(answer.body).toEqual(wrong.body);
    }
    await agents.close(id);
    expect((await hello()).status).toBe(401);
  });
});
