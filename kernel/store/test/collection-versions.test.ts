import { expect, test } from "vitest";
import { NoticeRaised } from "@gantry/plugin";
import type { CollectionDefinition, EventRecord } from "@gantry/plugin";
import { storedFields } from "@gantry/plugin/zod";
import * as z from "zod";
import { openTestStore } from "./support/store.ts";

const Task = z.object({ ...storedFields, title: z.string(), rank: z.number() });
type Task = z.infer<typeof Task>;

const definition: CollectionDefinition<Task> = {
  name: "task",
  version: 2,
  schema: Task,
  migrate(data, from) {
    if (from !== 1) throw new Error("Unknown version");
    return { ...(data as object), rank: 1 };
  },
};

const PLAIN = {
  id: "tsk_a",
  title: "Old",
  createdAt: "2026-01-01T00:00:00.000Z",
  updatedAt: "2026-01-01T00:00:00.000Z",
  revision: 1,
};

async function open() {
  const opened = await openTestStore();
  const store = opened.storeOf("lists");
  const events: EventRecord[] = [];
  opened.core.subscribe((batch) => events.push(...batch));
  return {
    ...opened,
    store,
    notices: () => events.filter(({ type }) => type === NoticeRaised.type),
    put: (id: string, value: object) => store.set(`task:${id}`, value),
    raw: (id: string) => opened.engine.get(`lists:task:${id}`),
  };
}

test("a record of an older version is migrated when it is read, and written so when it is updated", async () => {
  const { store, put, raw } = await open();
  const tasks = store.collection(definition);
  await put("tsk_a", { v: 1, data: PLAIN });
  expect(await tasks.get("tsk_a")).toEqual({ ...PLAIN, rank: 1 });
  expect(await raw("tsk_a")).toEqual({ v: 1, data: PLAIN });
  await tasks.update("tsk_a", (record) => ({ record }));
  expect(await raw("tsk_a")).toMatchObject({ v: 2, data: { rank: 1 } });
});

test.each([
  ["no longer known", { v: 0, data: PLAIN }],
  ["wrong in a member", { v: 2, data: { ...PLAIN, rank: "high" } }],
  ["no record", PLAIN],
  ["empty", {}],
  ["a list", []],
  ["of no data", { v: 2, data: 7 }],
])(
  "what is %s is left as it is, with a copy in quarantine and one notice",
  async (_, value) => {
    const { store, put, raw, quarantine, notices, log } = await open();
    const tasks = store.collection(definition);
    const { id } = await tasks.insert({ id: "tsk_b", title: "Fine", rank: 1 });
    await put("tsk_a", value);
    await store.set("task~newest:2026:tsk_a", {});
    for (let time = 0; time < 3; time++) {
      expect(await tasks.get("tsk_a")).toBeUndefined();
      expect((await tasks.list()).items.map((task) => task.id)).toEqual([id]);
      expect(await tasks.update("tsk_a", () => expect.unreachable())).toBe(
        undefined,
      );
      expect(await tasks.remove("tsk_a")).toBeUndefined();
    }
    expect(await raw("tsk_a")).toEqual(value);
    expect(quarantine.list()).toMatchObject([
      { key: "lists:task:tsk_a", owner: "lists" },
    ]);
    expect(notices()).toHaveLength(1);
    expect(log.lines.filter(({ level }) => level === "warn")).toHaveLength(1);
  },
);

test("what does not fit can be read again once it does, also by another start", async () => {
  const { store, put, raw, quarantine, engine, storeOf } = await open();
  await put("tsk_a", { v: 2, data: { ...PLAIN, rank: "high" } });
  const narrow = store.collection(definition);
  expect((await narrow.list()).items).toEqual([]);
  expect(await narrow.get("tsk_a")).toBeUndefined();
  expect(quarantine.list()).toHaveLength(1);
  const wide = storeOf("lists").collection({
    ...definition,
    schema: Task.extend({ rank: z.any() }),
  });
  const [task] = (await wide.list()).items;
  expect(task).toMatchObject({ id: "tsk_a", rank: "high" });
  expect(quarantine.list()).toEqual([]);
  expect(await engine.keys("kernel:quarantine:")).toEqual([]);
  expect(await raw("tsk_a")).toEqual({
    v: 2,
    data: { ...PLAIN, rank: "high" },
  });
});

test("a new record takes the place of one that cannot be read, whose copy stays", async () => {
  const { store, put, quarantine } = await open();
  const tasks = store.collection(definition);
  await put("tsk_a", { v: 2, data: { ...PLAIN, rank: "high" } });
  await tasks.insert({ id: "tsk_a", title: "New", rank: 2 });
  expect(await tasks.get("tsk_a")).toMatchObject({ title: "New", revision: 1 });
  const [copy] = quarantine.list();
  await expect(quarantine.restore(copy!.id)).rejects.toMatchObject({
    code: "QUARANTINE_NOT_RESTORED",
    message: expect.stringContaining("another record") as string,
  });
  await tasks.remove("tsk_a");
  await expect(quarantine.restore(copy!.id)).rejects.toMatchObject({
    message: expect.stringContaining('"rank"') as string,
  });
  await quarantine.delete(copy!.id);
  expect(quarantine.list()).toEqual([]);
});

test("a record of a later version is left alone: no list shows it, nothing replaces it, and asking for it says why", async () => {
  const { store, put, raw, quarantine, notices } = await open();
  const later = { v: 3, data: { ...PLAIN, rank: { of: "another kind" } } };
  await put("tsk_a", later);
  await store.set("task~newest:2026:tsk_a", {});
  const tasks = store.collection(definition);
  const tooNew = { code: "RECORD_TOO_NEW", status: 503 };
  await expect(tasks.get("tsk_a")).rejects.toMatchObject(tooNew);
  await expect(
    tasks.update("tsk_a", () => expect.unreachable()),
  ).rejects.toMatchObject(tooNew);
  await expect(tasks.remove("tsk_a")).rejects.toMatchObject(tooNew);
  await expect(
    tasks.insert({ id: "tsk_a", title: "New", rank: 2 }),
  ).rejects.toMatchObject({ code: "RECORD_EXISTS", status: 409 });
  expect((await tasks.list()).items).toEqual([]);
  expect(await raw("tsk_a")).toEqual(later);
  expect(await store.get("task~newest:2026:tsk_a")).toEqual({});
  expect(quarantine.tooNew).toBe(1);
  expect([quarantine.list(), notices()]).toEqual([[], []]);
});

test("what an earlier daemon had moved into quarantine comes back when it fits", async () => {
  const { store, core, folder, engine } = await open();
  const value = { v: 2, data: { ...PLAIN, rank: 3 } };
  await core.commit("kernel", [
    {
      type: "set",
      key: "kernel:quarantine:qua_moved",
      value: { key: "lists:task:tsk_a", owner: "lists", reason: "?", value },
    },
  ]);
  expect(await store.collection(definition).get("tsk_a")).toBeUndefined();
  await engine.close();
  const again = await openTestStore(folder);
  const tasks = again.storeOf("lists").collection(definition);
  expect((await tasks.list()).items).toMatchObject([{ id: "tsk_a", rank: 3 }]);
  expect(again.quarantine.list()).toEqual([]);
});

test("members that the schema does not know outlive an update", async () => {
  const { store, put, raw } = await open();
  const tasks = store.collection(definition);
  await put("tsk_a", { v: 2, data: { ...PLAIN, rank: 1, color: "red" } });
  expect(await tasks.get("tsk_a")).not.toHaveProperty("color");
  await tasks.update("tsk_a", (record) => ({
    record: { ...record, title: "New" },
  }));
  expect(await raw("tsk_a")).toMatchObject({
    data: { title: "New", color: "red", revision: 2 },
  });
});

test("what does not fit its schema is never written", async () => {
  const { store, engine } = await open();
  const tasks = store.collection(definition);
  const wrong = { id: "tsk_a", title: "Milk", rank: "high" as never };
  await expect(tasks.insert(wrong)).rejects.toThrow(/"rank"/);
  expect(() => tasks.toInsert(wrong)).toThrow(TypeError);
  expect(await engine.keys("lists:")).toEqual([]);
  await tasks.insert({ id: "tsk_a", title: "Milk", rank: 1 });
  await expect(
    tasks.update("tsk_a", (record) => ({
      record: { ...record, rank: Number.NaN },
    })),
  ).rejects.toThrow(/"rank"/);
  expect(await tasks.get("tsk_a")).toMatchObject({ rank: 1, revision: 1 });
});

test("an id is taken once, whichever way a second record comes", async () => {
  const { store, raw } = await open();
  const tasks = store.collection(definition);
  const task = (title: string) => ({ id: "tsk_a", title, rank: 1 });
  const exists = { code: "RECORD_EXISTS", status: 409 };
  const results = await Promise.allSettled([
    tasks.insert(task("First")),
    tasks.insert(task("Second")),
  ]);
  expect(results.map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
  ]);
  await expect(tasks.insert(task("Third"))).rejects.toMatchObject(exists);
  await expect(
    store.batch(tasks.toInsert(task("Fourth")).operations),
  ).rejects.toMatchObject({ code: "STORE_CONFLICT", status: 409 });
  expect((await tasks.list()).items).toMatchObject([{ title: "First" }]);
  expect(await raw("tsk_a")).toMatchObject({ data: { title: "First" } });
});

test("a unique index holds one record for each of its values", async () => {
  const { store } = await open();
  const tasks = store.collection<Task>({
    ...definition,
    indexes: {
      title: ({ title }) => (title === "" ? undefined : [title]),
      rank: ({ rank }) => [String(rank)],
    },
    unique: ["title"],
  });
  const add = (id: string, title: string) =>
    tasks.insert({ id: `tsk_${id}`, title, rank: 1 });
  const taken = { code: "RECORD_NOT_UNIQUE", status: 409 };
  const results = await Promise.allSettled([
    add("a", "Milk"),
    add("b", "Milk"),
  ]);
  expect(results.map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
  ]);
  await expect(add("b", "Milk")).rejects.toMatchObject({
    ...taken,
    message: expect.stringContaining("title") as string,
  });
  await add("b", "Bread");
  await add("c", "");
  await add("d", "");
  const rename = (id: string, title: string) =>
    tasks.update(`tsk_${id}`, (record) => ({ record: { ...record, title } }));
  await expect(rename("b", "Milk")).rejects.toMatchObject(taken);
  await rename("b", "Bread");
  await rename("a", "Butter");
  await rename("b", "Milk");
  await tasks.remove("tsk_a");
  await add("e", "Butter");
  // In a batch of the plugin's own as well.
  const { operations } = tasks.toInsert({ id: "tsk_f", title: "Jam", rank: 1 });
  await store.batch(operations);
  await expect(
    store.batch(
      tasks.toInsert({ id: "tsk_g", title: "Jam", rank: 1 }).operations,
    ),
  ).rejects.toMatchObject({ code: "STORE_CONFLICT" });
  expect(() => store.collection({ ...definition, unique: ["none"] })).toThrow(
    TypeError,
  );
});
