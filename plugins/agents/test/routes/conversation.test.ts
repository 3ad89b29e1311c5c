import { readEventStream, type ReadMessage } from "@gantry/plugin-testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { Entry } from "../../src/transcript/entry.ts";
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

  test("a client that comes back in a turn continues where it was", async () => {
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

  test("one that comes back after a restart is told to start over", async () => {
    const { id } = await agents.create({ cli: "practice" });
    const stream = await open(id, "another-17");
    expect([
      (await stream.next())?.event,
      (await stream.next())?.event,
    ]).toEqual(["reset", "snapshot"]);
    await stream.close();
  });

  test("a tool, what it costs and a question are reported as they happen", async () => {
    const { id } = await agents.create({ cli: "practice" });
    const stream = await open(id);
    const asked = agents.ask(
      id,
      "[[run:echo hi]][[cost:0.4]][[ask:Continue?]][[reply:done]]",
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
