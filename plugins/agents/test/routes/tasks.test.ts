import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TurnFinished } from "../../src/contract.ts";

import { AgentsKernel, standIn, type TaskView } from "../help/agents-kernel.ts";

let agents: AgentsKernel;

beforeAll(async () => {
  agents = await AgentsKernel.start({
    clis: {
      pi: standIn("fake-pi"),
      rough: standIn("rough-acp"),
      gone: { driver: "acp", command: "/no/such/agent" },
    },
    limits: { openAgents: 50, abortMs: 300 },
  });
});
afterAll(() => agents.kernel.stop());

const api = () => agents.kernel.api;

describe("tasks", () => {
  const queue = (id: string, message: string, more: object = {}) =>
    api().post<TaskView>(`/api/agents/${id}/tasks`, {
      payload: { message },
      ...more,
    });

  test("they wait while the agent is closed, and go out in order at the next start", async () => {
    const { id } = await agents.create({ cli: "practice" });
    for (const word of ["one", "two", "three"]) {
      expect(
        (
          await queue(id, `[[reply:${word}]]`, {
            source: "inbox",
            kind: "follow_up",
          })
        ).body,
      ).toMatchObject({
        status: "queued",
        source: "inbox",
        kind: "follow_up",
      });
    }
    expect((await agents.get(id)).state).toBe("closed");
    await api().post(`/api/agents/${id}/managed/start`);
    await agents.untilEntry(
      id,
      ({ text }) => text === "three",
      "all were sent",
    );
    const answers = (await agents.entries(id))
      .filter(({ role }) => role === "assistant")
      .map(({ text }) => text);
    expect(answers).toEqual(["one", "two", "three"]);
    const turns = agents.kernel.events
      .all(TurnFinished)
      .filter(({ subject }) => subject === id);
    expect(turns).toHaveLength(3);
  });

  test("one that waits can be cancelled, once", async () => {
    const { id } = await agents.create({ cli: "practice" });
    const task = (await queue(id, "[[reply:never]]")).body;
    await queue(id, "[[reply:yes]]");
    const path = `/api/agents/${id}/tasks/${task.id}`;
    expect((await api().delete<TaskView>(path)).body.status).toBe("cancelled");
    expect(await api().delete(path)).toMatchObject({
      status: 409,
      body: { code: "TASK_NOT_QUEUED" },
    });
    const other = await agents.create({ cli: "practice" });
    expect(
      (await api().delete(`/api/agents/${other.id}/tasks/${task.id}`)).status,
    ).toBe(404);
    expect((await api().delete(`/api/agents/${id}/tasks/nope`)).status).toBe(
      404,
    );
    await api().post(`/api/agents/${id}/managed/start`);
    await agents.untilEntry(
      id,
      ({ text }) => text === "yes",
      "the other was sent",
    );
    expect(
      (await agents.entries(id)).some(({ text }) => text.includes("never")),
    ).toBe(false);
  });

  test("one that has changed since it was read is not cancelled", async () => {
    const { id } = await agents.create({ cli: "practice" });
    const task = (await queue(id, "[[reply:x]]")).body;
    const cancel = (revision: number) =>
      api().delete<TaskView>(
        `/api/agents/${id}/tasks/${task.id}`,
        {},
        { "if-match": `"${revision}"` },
      );
    expect(await cancel(task.revision + 1)).toMatchObject({
      status: 412,
      body: { code: "STALE_REVISION" },
    });
    expect((await agents.tasks(id))[0]?.status).toBe("queued");
    expect((await cancel(task.revision)).body.status).toBe("cancelled");
  });

  test("they are listed by status", async () => {
    const { id } = await agents.create({ cli: "practice" });
    await queue(id, "a");
    await agents.ask(id, "b");
    const list = async (status: string) =>
      (
        await api().get<{ items: TaskView[] }>(`/api/agents/${id}/tasks`, {
          status,
        })
      ).body.items.length;
    expect([
      await list("queued"),
      await list("delivered"),
      await list("failed"),
    ]).toEqual([0, 2, 0]);
    expect(
      (await api().get(`/api/agents/${id}/tasks`, { status: "lost" })).status,
    ).toBe(400);
  });

  test("what the CLI refuses is failed with its words, and the next task runs", async () => {
    const { id } = await agents.create({ cli: "pi" });
    const refused = await agents.ask(id, "[[refuse]]");
    expect(refused.status).toBe(502);
    expect((await agents.tasks(id))[0]).toMatchObject({
      status: "failed",
      reason: "No model selected.",
    });
    expect((await agents.ask(id, "[[reply:fine]]")).body.answer).toBe("fine");
  });

  test.each([
    [{}],
    [{ payload: {} }],
    [{ payload: { message: "x" }, source: "Not Kebab" }],
    [{ payload: { message: "x" }, kind: "bash" }],
    [{ payload: { message: "x", more: 1 } }],
  ])("%j is 400", async (body) => {
    const { id } = await agents.create({ cli: "practice" });
    expect((await api().post(`/api/agents/${id}/tasks`, body)).status).toBe(
      400,
    );
  });
});
