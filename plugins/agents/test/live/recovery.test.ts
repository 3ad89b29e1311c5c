import { appendFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DialogClosed, TurnFinished } from "../../src/contract.ts";
import type { AgentView } from "../../src/records/agent-record.ts";
import {
  AgentsKernel,
  standIn,
  type Clis,
  type TaskView,
} from "../help/agents-kernel.ts";
import { startDoomedDaemon, type DoomedDaemon } from "../help/doomed-daemon.ts";
import { isAlive, mentions, until } from "../help/wait.ts";

let home: string;
let clis: Clis;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), "gantry-recovery-"));
  clis = {
    pi: standIn("fake-pi", { FAKE_PI_HOME: join(home, "pi") }),
    rough: standIn("rough-acp"),
  };
});
afterEach(() => rm(home, { recursive: true, force: true }));

async function createAgent(
  daemon: DoomedDaemon,
  cli: string,
): Promise<AgentView> {
  return (
    await daemon.call<AgentView>("POST", "/api/agents", { name: "Doomed", cli })
  ).body;
}

async function untilState(
  daemon: DoomedDaemon,
  id: string,
  activity: string,
): Promise<AgentView> {
  return await until(async () => {
    const { body } = await daemon.call<AgentView>("GET", `/api/agents/${id}`);
    return body.activity === activity && body;
  }, `the agent is ${activity}`);
}

test(
  "a daemon killed in mid-turn finds the turn ended, its cost counted, and nothing running",
  { tags: "thorough" },
  async () => {
    const daemon = await startDoomedDaemon(home, clis);
    const { id, cwd } = await createAgent(daemon, "practice");
    await daemon.call("POST", `/api/agents/${id}/prompt`, {
      message: `[[cost:0.3]][[reply:half]][[run:echo $$ > ${cwd}/pid; sleep 300]]`,
    });
    const pid = await until(
      async () =>
        Number(await readFile(join(cwd, "pid"), "utf8").catch(() => "")),
      "the tool runs",
    );
    await daemon.call("POST", `/api/agents/${id}/tasks`, {
      payload: { message: "[[reply:later]]" },
    });
    // The agent was running before it had confirmed the message.
    await until(async () => {
      const { body } = await daemon.call<{ items: TaskView[] }>(
        "GET",
        `/api/agents/${id}/tasks`,
      );
      return body.items.some(({ status }) => status === "delivered");
    }, "the first message counts as delivered");
    await until(() => mentions(home, '"text":"half"'), "the answer is written");
    await daemon.kill();

    await using agents = await AgentsKernel.start({ home, clis });
    await until(() => !isAlive(pid), "the leftover is gone");
    expect(await agents.get(id)).toMatchObject({
      state: "closed",
      mode: null,
      activity: "idle",
      usage: { costUsd: 0.3 },
    });
    const finished = agents.kernel.kernel.foundation.core;
    expect(finished.latestEventId()).toBeGreaterThan(0);
    const entries = await agents.entries(id);
    expect(entries.at(-1)).toMatchObject({
      kind: "error",
      text: expect.stringContaining("daemon stopped") as string,
    });
    const usage = await agents.kernel.api.get<{ total: { turns: number } }>(
      "/api/usage",
    );
    expect(usage.body.total.turns).toBe(1);
    // What waited still waits, and goes out with the next start; the running total is not counted twice.
    expect((await agents.tasks(id)).map(({ status }) => status)).toEqual([
      "queued",
      "delivered",
    ]);
    expect(
      (await agents.ask(id, "[[cost:0.2]][[reply:now]]")).body,
    ).toMatchObject({ answer: "now", costUsd: 0.2 });
    expect((await agents.get(id)).usage.costUsd).toBeCloseTo(0.5, 9);
    const texts = (await agents.entries(id)).filter(
      ({ role, kind }) => role === "assistant" && kind === "text",
    );
    expect(texts.map(({ text }) => text)).toEqual(["half", "later", "now"]);
  },
);

test(
  "an open question is closed, and the turn that asked is over",
  { tags: "thorough" },
  async () => {
    const daemon = await startDoomedDaemon(home, clis);
    const { id } = await createAgent(daemon, "practice");
    await daemon.call("POST", `/api/agents/${id}/prompt`, {
      message: "[[ask:Sure?]][[reply:yes]]",
    });
    const { dialog } = await untilState(daemon, id, "waiting");
    await daemon.kill();

    await using agents = await AgentsKernel.start({ home, clis });
    expect((await agents.get(id)).dialog).toBeNull();
    const log = await agents.kernel.api.get<{
      items: { type: string; data: unknown }[];
    }>("/api/events/log", { limit: 500 });
    const closed = log.body.items.filter(
      ({ type }) => type === DialogClosed.type,
    );
    expect(closed.map(({ data }) => data)).toEqual([
      { dialogId: dialog?.id, answer: null },
    ]);
    expect(
      log.body.items.filter(({ type }) => type === TurnFinished.type),
    ).toHaveLength(1);
    const late = await agents.kernel.api.post(`/api/agents/${id}/ui`, {
      dialogId: dialog?.id,
      cancelled: true,
    });
    expect(late.status).toBe(409);
  },
);

test(
  "a message that the agent never took is not sent again behind the user's back",
  { tags: "thorough" },
  async () => {
    const daemon = await startDoomedDaemon(home, clis);
    const { id } = await createAgent(daemon, "rough");
    // It says nothing before it hangs, so nothing shows that it took the message.
    await daemon.call("POST", `/api/agents/${id}/prompt`, {
      message: "[[deaf]]",
    });
    await until(async () => {
      const { body } = await daemon.call<{ items: unknown[] }>(
        "GET",
        `/api/agents/${id}/messages`,
      );
      return body.items.length > 0;
    }, "the message is in the conversation");
    const { body } = await daemon.call<{ items: TaskView[] }>(
      "GET",
      `/api/agents/${id}/tasks`,
    );
    expect(body.items[0]?.status).toBe("delivering");
    await daemon.kill();

    await using agents = await AgentsKernel.start({ home, clis });
    const [task] = await agents.tasks(id);
    expect(task).toMatchObject({
      status: "failed",
      reason: expect.stringContaining("Send it again") as string,
    });
    expect(await agents.entries(id)).toContainEqual(
      expect.objectContaining({
        kind: "notice",
        text: expect.stringContaining("Send it again") as string,
      }),
    );
    await agents.kernel.api.post(`/api/agents/${id}/managed/start`);
    expect(await agents.tasks(id)).toHaveLength(1);
  },
);

test("a message that was certainly not sent goes back into its queue and is sent once", async () => {
  const first = await AgentsKernel.start({ home, clis });
  const { id } = await first.create({ cli: "practice" });
  await first.kernel.api.post(`/api/agents/${id}/tasks`, {
    payload: { message: "[[reply:hello]]" },
  });
  const [task] = await first.tasks(id);
  // As a crash leaves it that comes right after the message was taken out of the queue.
  const store = first.kernel.kernel.foundation.core.engine;
  const key = `agents:task:${task?.id}`;
  const value = (await store.get(key)) as { data: object };
  const data = { ...value.data, status: "delivering", turnId: "trn_x" };
  const index = key.replace("agents:task:", "agents:task~delivering:");
  await store.commit([
    { type: "set", key, value: { ...value, data } },
    { type: "set", key: index, value: {} },
  ]);
  await first.kernel.stop();

  await using agents = await AgentsKernel.start({ home, clis });
  expect((await agents.tasks(id))[0]?.status).toBe("queued");
  await agents.kernel.api.post(`/api/agents/${id}/managed/start`);
  await agents.untilEntry(
    id,
    ({ text }) => text === "hello",
    "the message was answered",
  );
  expect(
    (await agents.entries(id)).filter(({ role }) => role === "user"),
  ).toHaveLength(1);
});

test("a torn transcript is repaired, and the conversation continues", async () => {
  const first = await AgentsKernel.start({ home, clis });
  const { id } = await first.create({ cli: "practice" });
  await first.ask(id, "[[reply:one]]");
  await first.kernel.stop();
  await appendFile(
    join(home, "data", "agents", "transcripts", `${id}.jsonl`),
    '{"id":"ent_torn","text":"ha',
  );

  await using agents = await AgentsKernel.start({ home, clis });
  expect((await agents.ask(id, "[[reply:two]]")).body.answer).toBe("two");
  const texts = (await agents.entries(id))
    .filter(({ role }) => role === "assistant")
    .map(({ text }) => text);
  expect(texts).toEqual(["one", "two"]);
});
