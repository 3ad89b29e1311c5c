import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AgentView } from "../../src/records/agent-record.ts";
import { AgentsKernel } from "../help/agents-kernel.ts";
import { MemoryDriver } from "../help/memory-driver.ts";
import { TameDriver } from "../help/tame-driver.ts";

interface TreeEntry {
  id: string;
  parentId: string | null;
  text: string;
  forkable: boolean;
}

let agents: AgentsKernel;
const memory = new MemoryDriver();
const tame = new TameDriver();

beforeAll(async () => {
  agents = await AgentsKernel.start({
    clis: { ...memory.clis, ...tame.clis },
    beside: [memory.plugin, tame.plugin],
    limits: { openAgents: 50 },
  });
});
afterAll(() => agents.kernel.stop());

const api = () => agents.kernel.api;
const create = () => agents.create({ cli: "memory" });
const answerOf = async (id: string, text: string) =>
  (await agents.ask(id, text)).body.answer;
const shown = async (id: string) =>
  (await agents.entries(id)).map(({ text }) => text);
const fork = (id: string, entryId: string) =>
  api().post<{ text: string; code: string }>(`/api/agents/${id}/fork`, {
    entryId,
  });

async function treeOf(id: string, limit = 500) {
  const items: TreeEntry[] = [];
  let cursor: string | null = null;
  let leafId: string | null;
  do {
    const query: Record<string, string | number> = cursor
      ? { limit, cursor }
      : { limit };
    const { body } = await api().get<{
      items: TreeEntry[];
      nextCursor: string | null;
      leafId: string | null;
    }>(`/api/agents/${id}/tree`, query);
    items.push(...body.items);
    ({ nextCursor: cursor, leafId } = body);
  } while (cursor !== null);
  return { items, leafId };
}

async function entryOf(id: string, text: string): Promise<TreeEntry> {
  const { items } = await treeOf(id);
  const found = items.find((entry) => entry.text === text && entry.forkable);
  if (!found) throw new Error(`There is no message "${text}".`);
  return found;
}

describe("fork", () => {
  test("continues from before a message, and gives its text", async () => {
    const { id } = await create();
    for (const text of ["one", "two", "three"]) await answerOf(id, text);
    const { id: entryId } = await entryOf(id, "two");
    expect((await fork(id, entryId)).body).toEqual({ text: "two" });
    expect(await agents.get(id)).toMatchObject({ state: "closed" });
    expect(await shown(id)).toEqual(["one", "one"]);
    expect(await answerOf(id, "other")).toBe("one | other");
    expect(await shown(id)).toEqual(["one", "one", "other", "one | other"]);
  });

  test("what was left stays in the tree and can be gone back to", async () => {
    const { id } = await create();
    for (const text of ["one", "two", "three"]) await answerOf(id, text);
    await fork(id, (await entryOf(id, "two")).id);
    await answerOf(id, "other");
    await fork(id, (await entryOf(id, "three")).id);
    expect(await answerOf(id, "again")).toBe("one | two | again");
    expect(await shown(id)).toEqual([
      "one",
      "one",
      "two",
      "one | two",
      "again",
      "one | two | again",
    ]);
    const { items, leafId } = await treeOf(id, 2);
    const texts = items.map(({ text }) => text);
    expect(texts.toSorted()).toEqual(
      [
        ...["one", "one", "two", "one | two", "three", "one | two | three"],
        ...["other", "one | other", "again", "one | two | again"],
      ].toSorted(),
    );
    const byId = new Map(items.map((entry) => [entry.id, entry]));
    const path: string[] = [];
    for (let at = leafId; at !== null; at = byId.get(at)?.parentId ?? null)
      path.unshift(byId.get(at)?.text ?? "");
    expect(path).toEqual(await shown(id));
  });

  test("from the first message the conversation starts over", async () => {
    const { id } = await create();
    await answerOf(id, "one");
    await fork(id, (await entryOf(id, "one")).id);
    expect(await shown(id)).toEqual([]);
    expect(await answerOf(id, "fresh")).toBe("fresh");
  });

  test("twice before the next message the last one counts", async () => {
    const { id } = await create();
    for (const text of ["one", "two", "three"]) await answerOf(id, text);
    await fork(id, (await entryOf(id, "three")).id);
    await fork(id, (await entryOf(id, "two")).id);
    expect(await answerOf(id, "other")).toBe("one | other");
  });

  test("outlives a restart", async () => {
    await using other = await AgentsKernel.start({
      clis: memory.clis,
      beside: [memory.plugin],
    });
    const { id } = await other.create({ cli: "memory" });
    for (const text of ["one", "two"]) await other.ask(id, text);
    const two = (await other.entries(id)).find(({ text }) => text === "two");
    await other.kernel.api.post(`/api/agents/${id}/fork`, {
      entryId: two?.id,
    });
    await other.kernel.restart();
    expect((await other.ask(id, "other")).body.answer).toBe("one | other");
  });

  test("an entry that cannot be forked from is refused, and nothing changes", async () => {
    const { id } = await create();
    await answerOf(id, "one");
    const before = await treeOf(id);
    const answer = before.items.find(({ forkable }) => !forkable);
    expect(await fork(id, answer?.id ?? "")).toMatchObject({
      status: 400,
      body: { code: "AGENT_ENTRY_NOT_FORKABLE" },
    });
    expect(await fork(id, "ent_nothing")).toMatchObject({
      status: 404,
      body: {
        code: "AGENT_ENTRY_NOT_FOUND",
        detail: `The conversation has no entry ent_nothing; GET /api/agents/${id}/tree lists them.`,
      },
    });
    expect(await treeOf(id)).toEqual(before);
  });

  test("a CLI that cannot is 501", async () => {
    const { id } = await agents.create({ cli: "tame" });
    expect(await fork(id, "ent_x")).toMatchObject({
      status: 501,
      body: { code: "AGENT_UNSUPPORTED" },
    });
  });

  test("not during a turn", async () => {
    const { id } = await create();
    await answerOf(id, "one");
    const entry = await entryOf(id, "one");
    const compacting = api().post(`/api/agents/${id}/compact`);
    await agents.untilWorking(id);
    expect(await fork(id, entry.id)).toMatchObject({
      status: 409,
      body: {
        code: "AGENT_BUSY",
        detail: expect.stringContaining(`/api/agents/${id}/abort`) as string,
      },
    });
    memory.compacting.pop()?.();
    await compacting;
  });
});

describe("clone", () => {
  test("makes an agent that knows everything, and both go their ways", async () => {
    const { id } = await create();
    await answerOf(id, "one");
    const { body: copy } = await api().post<AgentView>(
      `/api/agents/${id}/clone`,
    );
    expect(copy).toMatchObject({
      name: "Tester (copy)",
      state: "closed",
      lastMessage: "one",
    });
    expect(await shown(copy.id)).toEqual(["one", "one"]);
    expect(await answerOf(copy.id, "here")).toBe("one | here");
    expect(await answerOf(id, "there")).toBe("one | there");
    expect(await shown(id)).not.toContain("here");
  });

  test("of a branch holds that branch alone", async () => {
    const { id } = await create();
    for (const text of ["one", "two"]) await answerOf(id, text);
    await fork(id, (await entryOf(id, "two")).id);
    const { body: copy } = await api().post<AgentView>(
      `/api/agents/${id}/clone`,
      { name: "Second" },
    );
    expect(copy.name).toBe("Second");
    expect((await treeOf(copy.id)).items.map(({ text }) => text)).toEqual([
      "one",
      "one",
    ]);
    expect(await answerOf(copy.id, "here")).toBe("one | here");
    // A copy can be gone back in as well.
    await fork(copy.id, (await entryOf(copy.id, "one")).id);
    expect(await answerOf(copy.id, "new")).toBe("new");
  });

  test("of an agent without a conversation is a new agent", async () => {
    const { id } = await create();
    const { body: copy } = await api().post<AgentView>(
      `/api/agents/${id}/clone`,
    );
    expect(await answerOf(copy.id, "first")).toBe("first");
  });
});

describe("compact", () => {
  test("tells what it did, and messages wait meanwhile", async () => {
    const { id } = await create();
    await answerOf(id, "one");
    const compacting = api().post(`/api/agents/${id}/compact`);
    await agents.untilWorking(id);
    const { delivery } = await agents.prompt(id, "two");
    expect(delivery).toBe("queued");
    expect(await shown(id)).not.toContain("two");
    memory.compacting.pop()?.();
    expect((await compacting).body).toEqual({
      compacted: true,
      tokensBefore: 100,
      tokensAfter: 1,
    });
    await agents.untilEntry(
      id,
      ({ text }) => text === "one | two",
      "the message that waited is answered",
    );
    expect(await shown(id)).toContain(
      "The conversation was shrunk from 100 to 1 tokens.",
    );
  });

  test("a failure is 502 with what the CLI said, and the agent continues", async () => {
    const { id } = await create();
    await answerOf(id, "break");
    const compacting = api().post(`/api/agents/${id}/compact`);
    await agents.untilWorking(id);
    memory.compacting.pop()?.();
    expect(await compacting).toMatchObject({
      status: 502,
      body: { code: "AGENT_COMPACT_FAILED" },
    });
    expect(await answerOf(id, "two")).toBe("break | two");
  });

  test("a CLI that cannot is 501", async () => {
    const { id } = await agents.create({ cli: "tame" });
    expect((await api().post(`/api/agents/${id}/compact`)).status).toBe(501);
  });
});
