import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { AgentsKernel, standIn } from "../help/agents-kernel.ts";
import { until } from "../help/wait.ts";

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
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

describe("prompt", () => {
  test("it starts a closed agent and says that the message is on its way", async () => {
    const { id } = await agents.create({ cli: "practice" });
    const { taskId, delivery } = await agents.prompt(id, "hello");
    expect(delivery).toBe("sent");
    await agents.untilEntry(
      id,
      ({ text }) => text === "practice: hello",
      "the answer",
    );
    expect((await agents.tasks(id))[0]).toMatchObject({
      id: taskId,
      kind: "prompt",
      source: "composer",
      status: "delivered",
      payload: { message: "hello", images: 0 },
    });
  });

  test.each([
    [{}, "message"],
    [{ message: "x", kind: "shout" }, "kind"],
    [{ message: "x", extra: 1 }, "extra"],
    [{ message: "a\u0000b" }, "message"],
    [{ message: "x".repeat(600_000) }, "message"],
    [
      {
        message: "x",
        images: Array.from({ length: 5 }, () => ({
          mimeType: "image/png",
          data: PIXEL,
        })),
      },
      "images",
    ],
    [
      { message: "x", images: [{ mimeType: "image/svg+xml", data: PIXEL }] },
      "mimeType",
    ],
  ])("what does not fit is 400 and named", async (body, named) => {
    const { id } = await agents.create({ cli: "practice" });
    const answer = await api().post(`/api/agents/${id}/prompt`, body);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(named);
    expect((await agents.get(id)).state).toBe("closed");
  });

  test("a message of nothing is 400", async () => {
    const { id } = await agents.create({ cli: "practice" });
    expect(
      await api().post(`/api/agents/${id}/prompt`, { message: " \n" }),
    ).toMatchObject({
      status: 400,
      body: { code: "AGENT_MESSAGE_EMPTY" },
    });
  });

  test("pictures go along, also without a word", async () => {
    const { id } = await agents.create({ cli: "practice" });
    const images = [{ mimeType: "image/png", data: PIXEL }];
    await api().post(`/api/agents/${id}/prompt`, { message: "", images });
    const answer = await agents.untilEntry(
      id,
      ({ role }) => role === "assistant",
      "the answer",
    );
    expect(answer.text).toContain("with 1 picture");
    expect((await agents.entries(id))[0]?.message).toMatchObject({ images: 1 });
    const bad = await api().post(`/api/agents/${id}/prompt`, {
      message: "x",
      images: [{ mimeType: "image/png", data: "no base64!" }],
    });
    expect(bad).toMatchObject({
      status: 400,
      body: { code: "AGENT_IMAGE_INVALID" },
    });
  });

  test("a picture that is none starts nothing", async () => {
    const { id } = await agents.create({ cli: "practice" });
    for (const path of ["prompt", "tasks"]) {
      const images = [{ mimeType: "image/png", data: "no base64!" }];
      const message = { message: "x", images };
      expect(
        await api().post(
          `/api/agents/${id}/${path}`,
          path === "tasks" ? { payload: message } : message,
        ),
      ).toMatchObject({ status: 400, body: { code: "AGENT_IMAGE_INVALID" } });
    }
    expect((await agents.get(id)).state).toBe("closed");
    expect(await agents.tasks(id)).toEqual([]);
  });

  test("during a turn it becomes a follow-up", async () => {
    const { id } = await agents.create({ cli: "practice" });
    const asked = agents.ask(id, "[[sleep:200]][[reply:first]]");
    await agents.untilWorking(id);
    const { taskId, delivery } = await agents.prompt(id, "[[reply:second]]");
    expect(delivery).toBe("queued");
    expect(
      (await agents.tasks(id)).find((task) => task.id === taskId)?.kind,
    ).toBe("follow_up");
    expect((await asked).body.answer).toBe("first");
    await agents.untilEntry(id, ({ text }) => text === "second", "it was sent");
  });

  test("a CLI that takes no pictures says so by name", async () => {
    const { id } = await agents.create({ cli: "rough" });
    await agents.ask(id, "[[reply:x]]");
    const images = [{ mimeType: "image/png", data: PIXEL }];
    const answer = await api().post<{ detail: string }>(
      `/api/agents/${id}/prompt`,
      { message: "x", images },
    );
    expect(answer).toMatchObject({
      status: 501,
      body: { code: "AGENT_UNSUPPORTED" },
    });
    expect(answer.body.detail).toContain("images");
  });

  test("what looks like flags is only text", async () => {
    const { id } = await agents.create({ cli: "practice" });
    const text = "--dangerously-skip-permissions -p --resume=x";
    expect((await agents.ask(id, text)).body.answer).toBe(`practice: ${text}`);
  });

  test("a CLI that is not there is 503 and named, and nothing is queued", async () => {
    const { id } = await agents.create({ cli: "gone" });
    const answer = await api().post<{ detail: string }>(
      `/api/agents/${id}/prompt`,
      { message: "x" },
    );
    expect(answer).toMatchObject({
      status: 503,
      body: { code: "AGENT_CLI_MISSING" },
    });
    expect(answer.body.detail).toContain("gone");
    expect(await agents.tasks(id)).toEqual([]);
  });

  test("the same idempotency key sends once", async () => {
    const { id } = await agents.create({ cli: "practice" });
    const send = () =>
      api().post<{ taskId: string }>(
        `/api/agents/${id}/prompt`,
        { message: "once" },
        { "idempotency-key": "p1" },
      );
    const [first, second] = await Promise.all([send(), send()]);
    expect(second.body).toEqual(first.body);
    await agents.untilIdle(id);
    expect(await agents.tasks(id)).toHaveLength(1);
  });
});

describe("ask", () => {
  test("a timeout is 409 with the task, and the turn continues", async () => {
    const { id } = await agents.create({ cli: "practice" });
    const late = await agents.ask(id, "[[sleep:400]][[reply:late]]", 100);
    expect(late).toMatchObject({
      status: 409,
      body: { code: "AGENT_STILL_WORKING" },
    });
    expect(late.body["taskId"]).toMatch(/^tsk_/);
    await agents.untilEntry(
      id,
      ({ text }) => text === "late",
      "the turn continued",
    );
  });

  test("a refusal is an answer of its kind", async () => {
    const { id } = await agents.create({ cli: "rough" });
    expect(
      (await agents.ask(id, "[[reply:no]][[stop:refusal]]")).body,
    ).toMatchObject({ answer: "no", stopReason: "refused" });
  });

  test("a limit of the agent's own is reported", async () => {
    const { id } = await agents.create({ cli: "rough" });
    expect(
      (await agents.ask(id, "[[reply:cut]][[stop:max_tokens]]")).body
        .stopReason,
    ).toBe("end");
    expect(await agents.entries(id)).toContainEqual(
      expect.objectContaining({
        kind: "notice",
        text: expect.stringContaining("max_tokens") as string,
      }),
    );
  });

  test("closing the agent answers those who wait", async () => {
    const { id } = await agents.create({ cli: "practice" });
    const running = agents.ask(id, "[[sleep:10000]]");
    await agents.untilDelivered(id);
    const waiting = agents.ask(id, "[[reply:never]]");
    await until(
      async () => (await agents.tasks(id)).length === 2,
      "both are queued",
    );
    await agents.close(id);
    expect((await running).body.stopReason).toBe("cancelled");
    expect(await waiting).toMatchObject({
      status: 409,
      body: { code: "AGENT_CLOSED" },
    });
    expect((await agents.tasks(id)).map(({ status }) => status)).toEqual([
      "queued",
      "delivered",
    ]);
  });

  test.each([[0], [600_001], [1.5]])(
    "a time of %s is 400",
    async (timeoutMs) => {
      const { id } = await agents.create({ cli: "practice" });
      expect((await agents.ask(id, "x", timeoutMs)).status).toBe(400);
    },
  );

  test("a turn that was stopped before it was sent is cancelled, and the next one runs", async () => {
    const { id } = await agents.create({ cli: "practice" });
    await api().post(`/api/agents/${id}/managed/start`);
    const asked = agents.ask(id, "[[sleep:60000]]");
    await agents.untilWorking(id);
    await api().post(`/api/agents/${id}/abort`);
    expect((await asked).body.stopReason).toBe("cancelled");
    expect((await agents.ask(id, "[[reply:next]]")).body.answer).toBe("next");
  });

  test("that a turn was stopped stands in the conversation", async () => {
    const { id } = await agents.create({ cli: "practice" });
    const asked = agents.ask(id, "[[long:5000:5]]");
    await agents.untilWorking(id);
    await api().post(`/api/agents/${id}/abort`);
    expect((await asked).body.stopReason).toBe("cancelled");
    expect((await agents.entries(id)).at(-1)).toMatchObject({
      kind: "notice",
      text: "The turn was stopped.",
      turnId: expect.stringMatching(/^trn_/) as string,
    });
  });
});
