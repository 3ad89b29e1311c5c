import { expect, test } from "vitest";
import { createIdentifier } from "@gantry/plugin";
import type { CollectionDefinition, EventRecord } from "@gantry/plugin";
import { storedFields } from "@gantry/plugin/zod";
import * as z from "zod";
import { cutShort, openTestStore } from "./support/store.ts";

const Task = z.object({
  ...storedFields,
  title: z.string(),
  state: z.string(),
  rank: z.number(),
});
type Task = z.infer<typeof Task>;

const definition: CollectionDefinition<Task> = {
  name: "task",
  version: 2,
  schema: Task,
  indexes: {
    state: ({ state }) => (state === "hidden" ? undefined : [state]),
  },
};

const newTask = (fields: Partial<Task> = {}) => ({
  id: createIdentifier("tsk"),
  title: "Milk",
  state: "open",
  rank: 0,
  ...fields,
});

async function openTasks() {
  const opened = await openTestStore();
  const store = opened.storeOf("lists");
  return { ...opened, store, tasks: store.collection(definition) };
}

test("a record gets its times and its revision, and each change moves them on", async () => {
  const { tasks, clock } = await openTasks();
  const made = await tasks.insert(newTask());
  expect(made).toMatchObject({
    revision: 1,
    createdAt: "2026-03-02T12:00:00.000Z",
    updatedAt: "2026-03-02T12:00:00.000Z",
  });
  await clock.advance(1_000);
  const changed = await tasks.update(made.id, (record) => ({
    record: { ...record, title: "Bread", revision: 99 },
  }));
  expect(changed).toEqual({
    ...made,
    title: "Bread",
    revision: 2,
    updatedAt: "2026-03-02T12:00:01.000Z",
  });
  expect(await tasks.get(made.id)).toEqual(changed);
  expect(await tasks.update(made.id, () => undefined)).toEqual(changed);
});

test("a change of an unknown id does nothing and says so", async () => {
  const { tasks } = await openTasks();
  const change = () => expect.unreachable();
  expect(await tasks.get("tsk_none")).toBeUndefined();
  expect(await tasks.update("tsk_none", change)).toBeUndefined();
  expect(await tasks.remove("tsk_none")).toBeUndefined();
});

test("a change that expects another revision is refused", async () => {
  const { tasks } = await openTasks();
  const { id } = await tasks.insert(newTask());
  const change = () => expect.unreachable();
  await expect(tasks.update(id, change, { revision: 7 })).rejects.toMatchObject(
    {
      code: "STALE_REVISION",
      status: 412,
    },
  );
  await expect(tasks.remove(id, { revision: 7 })).rejects.toMatchObject({
    code: "STALE_REVISION",
  });
  expect(await tasks.remove(id, { revision: 1 })).toMatchObject({ id });
});

test("changes of one record run one after the other, whichever handle of the collection is used", async () => {
  const { store, tasks } = await openTasks();
  const other = store.collection(definition);
  const { id } = await tasks.insert(newTask());
  await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      (n % 2 ? tasks : other).update(id, async (record) => {
        await Promise.resolve();
        return { record: { ...record, rank: record.rank + 1 } };
      }),
    ),
  );
  expect(await tasks.get(id)).toMatchObject({ rank: 40, revision: 41 });
});

test("a change that throws leaves the record as it was and blocks no other change", async () => {
  const { tasks } = await openTasks();
  const { id } = await tasks.insert(newTask());
  const failing = tasks.update(id, () => {
    throw new Error("No");
  });
  await expect(failing).rejects.toThrow("No");
  expect(
    await tasks.update(id, (record) => ({ record: { ...record, rank: 5 } })),
  ).toMatchObject({ rank: 5, revision: 2 });
});

test("a listing is newest first, in pages that neither repeat nor leave out", async () => {
  const { tasks, clock } = await openTasks();
  const ids: string[] = [];
  for (let n = 0; n < 7; n++) {
    ids.unshift((await tasks.insert(newTask({ rank: n }))).id);
    await clock.advance(1);
  }
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await tasks.list({ limit: 3, cursor });
    seen.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  expect(seen).toEqual(ids);
  const ascending = await tasks.list({ order: "ascending" });
  expect(ascending.items.map(({ id }) => id)).toEqual(ids.reverse());
});

test("an index lists what it holds, and follows each change", async () => {
  const { tasks } = await openTasks();
  const { id } = await tasks.insert(newTask({ state: "" }));
  await tasks.insert(newTask({ state: "hidden" }));
  const inState = async (state: string) =>
    (await tasks.list({ index: "state", prefix: [state] })).items.length;
  expect(await inState("")).toBe(1);
  expect(await inState("hidden")).toBe(0);
  for (const state of ["a/b", "a%2Fb", "a", "..", "é:è", "hidden"]) {
    await tasks.update(id, (record) => ({ record: { ...record, state } }));
    expect(await inState(state), state).toBe(state === "hidden" ? 0 : 1);
    expect(await tasks.count("state", [], 10)).toBe(state === "hidden" ? 0 : 1);
  }
  expect(await inState("")).toBe(0);
});

test("a listing that ends before a key of its index reads nothing behind it", async () => {
  const { tasks, clock } = await openTasks();
  for (let rank = 0; rank < 6; rank++) {
    await tasks.insert(newTask({ rank }));
    await clock.advance(1000);
  }
  const all = (await tasks.list()).items;
  const before = [all[2]!.createdAt];
  const ranks = async (options: object) =>
    (await tasks.list({ before, ...options })).items.map(({ rank }) => rank);
  expect(await ranks({})).toEqual([2, 1, 0]);
  expect(await ranks({ order: "ascending", limit: 2 })).toEqual([0, 1]);
  expect(await ranks({ before: ["2000"] })).toEqual([]);
  expect(await ranks({ before: ["3000"] })).toHaveLength(6);
  const { nextCursor } = await tasks.list({ before, limit: 1 });
  expect(await ranks({ cursor: nextCursor ?? "" })).toEqual([1, 0]);
  const later = (await tasks.list({ limit: 1 })).nextCursor ?? "";
  await expect(ranks({ cursor: later })).rejects.toMatchObject({
    code: "BAD_CURSOR",
  });
});

test("a filter fills its pages and a cursor continues after them", async () => {
  const { tasks, clock } = await openTasks();
  for (let rank = 0; rank < 30; rank++) {
    await tasks.insert(newTask({ rank }));
    await clock.advance(1);
  }
  const filter = ({ rank }: Task) => rank % 3 === 0;
  const first = await tasks.list({ filter, limit: 6 });
  expect(first.items.map(({ rank }) => rank)).toEqual([27, 24, 21, 18, 15, 12]);
  const second = await tasks.list({
    filter,
    limit: 6,
    cursor: first.nextCursor ?? "",
  });
  expect(second.items.map(({ rank }) => rank)).toEqual([9, 6, 3, 0]);
  expect(second.nextCursor).toBeNull();
});

test("a cursor of another listing, or of none, is refused", async () => {
  const { store, tasks } = await openTasks();
  await tasks.insert(newTask());
  await tasks.insert(newTask());
  await store.set("other", {});
  const { nextCursor } = await tasks.list({ limit: 1 });
  const foreign = Buffer.from("auth:session:x").toString("base64url");
  const cursors = [
    foreign,
    "",
    "%",
    "AAAA",
    `${nextCursor}=`,
    "x".repeat(2000),
  ];
  for (const cursor of cursors) {
    await expect(tasks.list({ cursor }), cursor).rejects.toMatchObject({
      code: "BAD_CURSOR",
    });
  }
  await expect(
    tasks.list({ index: "state", cursor: nextCursor ?? "" }),
  ).rejects.toMatchObject({ code: "BAD_CURSOR" });
});

test("a limit that is none, and an index that is none, are mistakes", async () => {
  const { tasks } = await openTasks();
  for (const limit of [0, -1, 1.5, 501, Number.NaN]) {
    await expect(tasks.list({ limit }), String(limit)).rejects.toThrow(
      RangeError,
    );
  }
  await expect(tasks.list({ index: "toString" })).rejects.toThrow(TypeError);
});

test("records and the events about them are one write", async () => {
  const { tasks, core } = await openTasks();
  const heard: EventRecord[] = [];
  core.subscribe((events) => heard.push(...events));
  const event = { type: "lists.task-added", subject: "x", data: {} };
  await tasks.insert(newTask(), {
    events: [event],
    operations: [{ type: "set", key: "count", value: { n: 1 } }],
  });
  expect(heard).toMatchObject([{ id: 1, plugin: "lists", ...event }]);
  // A value that cannot be stored takes everything with it.
  const bad = tasks.insert(newTask(), {
    events: [{ ...event, data: 1n }],
    operations: [{ type: "set", key: "count", value: { n: 2 } }],
  });
  await expect(bad).rejects.toThrow();
  expect(heard).toHaveLength(1);
  expect((await tasks.list()).items).toHaveLength(1);
});

test("a record in the middle of a listing that is cut short hides no other", async () => {
  const { tasks, store, folder, clock } = await openTasks();
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) {
    ids.push((await tasks.insert(newTask())).id);
    await clock.advance(1);
  }
  const [first, second, third] = ids;
  await store.set("plain", { fine: true });
  cutShort(folder, `lists:task:${second}`, "lists:plain");
  expect((await tasks.list()).items.map(({ id }) => id)).toEqual([
    third,
    first,
  ]);
  expect(await tasks.get(second ?? "")).toBeUndefined();
  expect(await store.get("plain")).toBeUndefined();
  expect((await store.list("")).items.map(({ key }) => key)).not.toContain(
    "plain",
  );
});
