import { definePlugin } from "@gantry/plugin";
import { beforeEach, expect, test } from "vitest";
import { AgentMessages } from "../../src/contract.ts";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { TameDriver } from "../help/tame-driver.ts";
import { until } from "../help/wait.ts";

let tame: TameDriver;

beforeEach(() => {
  tame = new TameDriver();
});

const kernel = (options: Parameters<typeof AgentsKernel.start>[0] = {}) =>
  AgentsKernel.start({
    ...options,
    clis: tame.clis,
    beside: [tame.plugin],
  });

const untilEnding = () => until(() => tame.ending.length > 0, "it is to end");

test("what is said while an agent closes starts it again", async () => {
  await using agents = await kernel();
  const { id } = await agents.create({ cli: "tame" });
  await agents.ask(id, "one");
  tame.holdsEnds = true;
  const closed = agents.close(id);
  await untilEnding();
  const asked = agents.ask(id, "two");
  const settled = agents.prompt(id, "three");
  tame.release();
  await closed;
  expect(await asked).toMatchObject({ status: 200, body: { answer: "two" } });
  await settled;
  await until(() => tame.heard.length === 3, "all was heard");
  expect(tame.opened).toHaveLength(2);
  expect(await agents.get(id)).toMatchObject({ state: "open" });
});

test("an agent at rest that is closed for being so is opened again for what was said meanwhile", async () => {
  await using agents = await kernel({ fakeTime: true });
  const { id } = await agents.create({ cli: "tame" });
  await agents.ask(id, "one");
  tame.holdsEnds = true;
  await agents.kernel.clock.advance(10 * 60_000);
  await untilEnding();
  const asked = agents.ask(id, "two");
  tame.release();
  expect(await asked).toMatchObject({ status: 200, body: { answer: "two" } });
  expect(tame.opened).toHaveLength(2);
});

test("agents that take each other's place lose no message", async () => {
  await using agents = await kernel({ limits: { openAgents: 2 } });
  const ids = await Promise.all(
    ["a", "b", "c", "d"].map(
      async (name) => (await agents.create({ cli: "tame", name })).id,
    ),
  );
  const answers = await Promise.all(
    Array.from({ length: 60 }, async (_, index) => {
      const id = ids[index % ids.length] ?? "";
      const { status, body } = await agents.ask(id, `message ${index}`);
      return status === 200 ? body.answer : body["code"];
    }),
  );
  // While both slots are in use there is no room, and the answer says so before a message is accepted.
  const taken = answers.filter((answer) => answer !== "AGENT_LIMIT_REACHED");
  expect(taken.every((answer) => /^message \d+$/.test(String(answer)))).toBe(
    true,
  );
  expect([...tame.heard].sort()).toEqual([...taken].sort());
  for (const id of ids)
    for (const { status } of await agents.tasks(id))
      expect(status).toBe("delivered");
});

test("a change of settings and a start at once leave no agent open with the old ones", async () => {
  await using agents = await kernel();
  const { id } = await agents.create({ cli: "tame", model: "small" });
  await agents.ask(id, "one");
  tame.holdsEnds = true;
  const changed = agents.kernel.api.patch(`/api/agents/${id}`, {
    model: "large",
  });
  await untilEnding();
  const asked = agents.ask(id, "two");
  tame.release();
  expect((await changed).status).toBe(200);
  expect(await asked).toMatchObject({ status: 200, body: { answer: "two" } });
  expect(tame.opened.map(({ model }) => model)).toEqual(["small", "large"]);
});

test("an agent that is being deleted does not come back", async () => {
  await using agents = await kernel();
  const { id } = await agents.create({ cli: "tame" });
  await agents.ask(id, "one");
  tame.holdsEnds = true;
  const deleted = agents.kernel.api.delete(`/api/agents/${id}`);
  await untilEnding();
  const asked = agents.ask(id, "two");
  tame.release();
  expect((await deleted).status).toBe(200);
  expect(await asked).toMatchObject({
    status: 404,
    body: { code: "AGENT_NOT_FOUND" },
  });
  expect(tame.opened).toHaveLength(1);
  expect(tame.heard).toEqual(["one"]);
});

test("starts at the same moment do not exceed the limit together", async () => {
  let messages: AgentMessages | undefined;
  const talker = definePlugin({
    id: "talker",
    api: 1,
    summary: "Talks to agents",
    mounts: [],
    needs: { messages: AgentMessages },
    setup: (ctx) => void (messages = ctx.needs.messages),
  });
  await using agents = await AgentsKernel.start({
    clis: tame.clis,
    beside: [tame.plugin, talker],
    limits: { openAgents: 1 },
  });
  const ids = await Promise.all(
    ["a", "b", "c"].map(
      async (name) => (await agents.create({ cli: "tame", name })).id,
    ),
  );
  // Not over HTTP, which would put one behind the other.
  const sent = await Promise.allSettled(
    ids.map((agentId) =>
      messages?.prompt(
        { agentId, message: "hello", kind: "prompt", source: "test" },
        new AbortController().signal,
      ),
    ),
  );
  expect(sent.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect(tame.opened).toHaveLength(1);
});
