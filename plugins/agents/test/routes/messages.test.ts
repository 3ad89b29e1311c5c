import { readEventStream, type ReadMessage } from "@gantry/plugin-testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  DialogClosed,
  DialogOpened,
  TurnFinished,
} from "../../src/contract.ts";
import type { Entry } from "../../src/transcript/entry.ts";
import { AgentsKernel, standIn, type TaskView } from "../help/agents-kernel.ts";
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
  test("a time that is up is 409 with the task, and the turn goes on", async () => {
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
      "the turn went on",
    );
  });

  test("a refusal is an answer of its kind", async () => {
    const { id } = await agents.create({ cli: "rough" });
    expect(
      (await agents.ask(id, "[[reply:no]][[stop:refusal]]")).body,
    ).toMatchObject({ answer: "no", stopReason: "refused" });
  });

  test("a limit of the agent's own is told of", async () => {
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
    await agents.untilWorking(id);
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

  test("a turn that was stopped before it was sent is cancelled, and the next goes on", async () => {
    const { id } = await agents.create({ cli: "practice" });
    await api().post(`/api/agents/${id}/managed/start`);
    const asked = agents.ask(id, "[[sleep:60000]]");
    await agents.untilWorking(id);
    await api().post(`/api/agents/${id}/abort`);
    expect((await asked).body.stopReason).toBe("cancelled");
    expect((await agents.ask(id, "[[reply:next]]")).body.answer).toBe("next");
  });
});

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

  test("what the CLI refuses is failed with its words, and the next goes on", async () => {
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

describe("messages", () => {
  test("pages go back to the beginning", async () => {
    const { id } = await agents.create({ cli: "practice" });
    for (const word of ["a", "b", "c", "d"])
      await agents.ask(id, `[[reply:${word}]]`);
    const all: Entry[] = [];
    let cursor: string | null = null;
    do {
      const query: Record<string, string | number> =
        cursor === null ? { limit: 3 } : { limit: 3, cursor };
      const page = (
        await api().get<{ items: Entry[]; nextCursor: string | null }>(
          `/api/agents/${id}/messages`,
          query,
        )
      ).body;
      all.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(all.map(({ text }) => text)).toEqual([
      "d",
      "[[reply:d]]",
      "c",
      "[[reply:c]]",
      "b",
      "[[reply:b]]",
      "a",
      "[[reply:a]]",
    ]);
    for (const [index, { parentId }] of all.entries())
      expect(parentId).toBe(all[index + 1]?.id ?? null);
    for (const bad of ["1", "x", "99999999", "-1"]) {
      expect(
        await api().get(`/api/agents/${id}/messages`, { cursor: bad }),
      ).toMatchObject({
        status: 400,
        body: { code: "AGENT_BAD_CURSOR" },
      });
    }
  });
});

describe("stream", () => {
  const open = async (id: string, after?: string) =>
    readEventStream(
      await api().open(
        `/api/agents/${id}/stream${after ? `?after=${after}` : ""}`,
      ),
    );

  test("a client that comes back goes on where it was, in a turn", async () => {
    const { id } = await agents.create({ cli: "practice" });
    const first = await open(id);
    await agents.prompt(id, "[[long:60:5]]");
    const seen: ReadMessage[] = [];
    await first.until((message) => {
      if (message.event === "delta") seen.push(message);
      return seen.length === 10;
    });
    await first.close();
    const second = await open(id, seen.at(-1)?.id);
    const end = await second.until((message) => {
      if (message.event === "delta") seen.push(message);
      return message.event === "turn-ended";
    });
    await second.close();
    expect(end.data).toMatchObject({ stopReason: "end" });
    expect(
      seen.map(({ data }) => (data as { text: string }).text.trim()),
    ).toEqual(Array.from({ length: 60 }, (_, index) => `word${index + 1}`));
  });

  test("one that comes in the middle gets what has grown so far, and the rest", async () => {
    const { id } = await agents.create({ cli: "practice" });
    await agents.prompt(id, "[[long:60:5]]");
    await agents.untilWorking(id);
    const stream = await until(async () => {
      const reader = await open(id);
      const snapshot = (await reader.next())?.data as {
        turn: { texts: { entryId: string; text: string }[] } | null;
      };
      const text = snapshot.turn?.texts[0];
      if (text) return { reader, ...text };
      await reader.close();
      return undefined;
    }, "something has grown");
    let text = stream.text;
    const entry = await stream.reader.until(({ event, data }) => {
      if (event === "delta") text += (data as { text: string }).text;
      return event === "entry";
    });
    await stream.reader.close();
    expect(entry.data).toMatchObject({ id: stream.entryId, text });
  });

  test("one that comes from before is told to read anew", async () => {
    const { id } = await agents.create({ cli: "practice" });
    const stream = await open(id, "another-17");
    expect([
      (await stream.next())?.event,
      (await stream.next())?.event,
    ]).toEqual(["reset", "snapshot"]);
    await stream.close();
  });

  test("a tool, what it costs and a question are told of as they happen", async () => {
    const { id } = await agents.create({ cli: "practice" });
    const stream = await open(id);
    const asked = agents.ask(
      id,
      "[[run:echo hi]][[cost:0.4]][[ask:Go on?]][[reply:done]]",
    );
    const tool = await stream.until(({ event }) => event === "tool");
    expect(tool.data).toMatchObject({ name: "shell", title: "echo hi" });
    expect(
      (await stream.until(({ event }) => event === "usage")).data,
    ).toMatchObject({ usage: { costUsd: 0.4 } });
    const dialog = (
      await stream.until(({ event }) => event === "dialog-opened")
    ).data as { id: string; options: { id: string }[] };
    await api().post(`/api/agents/${id}/ui`, {
      dialogId: dialog.id,
      optionId: dialog.options[0]?.id,
    });
    expect(
      (await stream.until(({ event }) => event === "dialog-closed")).data,
    ).toEqual({ dialogId: dialog.id, answer: "Allow" });
    await stream.until(({ event }) => event === "turn-ended");
    await asked;
    await stream.close();
  });

  test("it ends when the agent is deleted", async () => {
    const { id } = await agents.create({ cli: "practice" });
    const stream = await open(id);
    await stream.next();
    await api().delete(`/api/agents/${id}`);
    await expect(stream.until(() => false)).rejects.toThrow("ended");
  });
});

describe("ui", () => {
  async function askThrough(cli: string, prompt: string) {
    const { id } = await agents.create({ cli });
    const answer = agents.ask(id, prompt);
    const { dialog } = await agents.untilAgent(
      id,
      (agent) => agent.dialog !== null,
      "a question is open",
    );
    const reply = (body: object) =>
      api().post<{ detail: string }>(`/api/agents/${id}/ui`, {
        dialogId: dialog?.id,
        ...body,
      });
    return { id, answer, dialog, reply };
  }

  test("only what the question offers is an answer", async () => {
    const { answer, reply, dialog } = await askThrough(
      "practice",
      "[[ask:Sure?]][[reply:ok]]",
    );
    for (const body of [
      {},
      { optionId: "nope" },
      { value: "text" },
      { optionId: "once", cancelled: true },
      { cancelled: false },
    ]) {
      expect(await reply(body)).toMatchObject({
        status: 400,
        body: { code: "DIALOG_ANSWER_INVALID" },
      });
    }
    expect(dialog?.takesText).toBe(false);
    expect((await reply({ optionId: "once" })).body).toEqual({ ok: true });
    expect((await answer).body.answer).toBe("ok");
  });

  test("a rejection counts, and events tell of both ends", async () => {
    const { id, answer, reply, dialog } = await askThrough(
      "practice",
      "[[ask:Sure?]][[reply:ok]]",
    );
    await reply({ optionId: "no" });
    expect((await answer).body).toMatchObject({
      answer: "",
      stopReason: "end",
    });
    const opened = agents.kernel.events
      .all(DialogOpened)
      .filter(({ subject }) => subject === id);
    expect(opened.map(({ data }) => data)).toEqual([
      { ...dialog, agentName: "Tester" },
    ]);
    const closed = agents.kernel.events
      .all(DialogClosed)
      .filter(({ subject }) => subject === id);
    expect(closed.map(({ data }) => data)).toEqual([
      { dialogId: dialog?.id, answer: "Reject" },
    ]);
  });

  test("a question may take a text", async () => {
    const { answer, reply, dialog } = await askThrough(
      "pi",
      "[[question:Which branch?]]",
    );
    expect(dialog).toMatchObject({
      kind: "question",
      takesText: true,
      options: [],
    });
    await reply({ value: "main" });
    expect((await answer).body.answer).toBe("you said main");
  });

  test("it may be left without an answer", async () => {
    const { answer, reply } = await askThrough(
      "pi",
      "[[question:Which branch?]]",
    );
    await reply({ cancelled: true });
    expect((await answer).body.answer).toBe("you said nothing");
  });

  test("closing the agent closes the question", async () => {
    const { id, answer, reply } = await askThrough("pi", "[[ask:Sure?]]");
    await agents.close(id);
    expect((await answer).body.stopReason).toBe("cancelled");
    expect(await reply({ cancelled: true })).toMatchObject({
      status: 409,
      body: { code: "DIALOG_CLOSED" },
    });
  });
});
