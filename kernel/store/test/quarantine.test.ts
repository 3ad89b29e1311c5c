import { expect, test, vi } from "vitest";
import { keyPart } from "@gantry/plugin";
import type { CollectionDefinition } from "@gantry/plugin";
import { storedFields } from "@gantry/plugin/zod";
import * as z from "zod";
import { errors } from "@gantry/system/errors";
import { cutShort, openTestStore } from "./support/store.ts";

const Task = z.object({ ...storedFields, title: z.string(), rank: z.number() });
type Task = z.infer<typeof Task>;

const definition: CollectionDefinition<Task> = {
  name: "task",
  version: 1,
  schema: Task,
  indexes: {
    title: ({ title }) => [title],
    rank: ({ rank }) => [String(rank)],
  },
};

const AT = "2026-01-01T00:00:00.000Z";
const toTask = (id: string, title: string) => ({
  id,
  title,
  rank: 1,
  createdAt: AT,
  updatedAt: AT,
  revision: 1,
});
const seal = (data: object) => ({ v: 1, data });
const unfit = (id: string) => seal({ ...toTask(id, "Old"), rank: "high" });

/** Opens a store in which a task does not fit its schema. */
async function openWithUnfit() {
  const opened = await openTestStore();
  const store = opened.storeOf("lists");
  const tasks = store.collection(definition);
  await store.batch([
    { type: "set", key: "task:tsk_a", value: unfit("tsk_a") },
    { type: "set", key: `task~newest:${keyPart(AT)}:tsk_a`, value: {} },
    { type: "set", key: "task~rank:high:tsk_a", value: {} },
  ]);
  return { ...opened, store, tasks };
}

test("a copy whose unique value another record has stays in quarantine, and the others are restored", async () => {
  const unique = { ...definition, unique: ["title"] };
  const first = await openTestStore();
  const { folder, engine } = first;
  await first
    .storeOf("lists")
    .collection(unique)
    .insert({ id: "tsk_b", title: "Milk", rank: 1 });
  const toCopy = (id: string, title: string) => {
    const key = `lists:task:${id}`;
    const value = seal(toTask(id, title));
    return {
      type: "set",
      key: `kernel:quarantine:qua_${id}`,
      value: { key, owner: "lists", reason: "?", value },
    } as const;
  };
  await engine.commit([toCopy("tsk_a", "Milk"), toCopy("tsk_c", "Bread")]);
  await engine.close();

  const { quarantine, storeOf, log } = await openTestStore(folder);
  const tasks = storeOf("lists").collection(unique);
  const ids = (await tasks.list()).items.map(({ id }) => id);
  expect(ids.sort()).toEqual(["tsk_b", "tsk_c"]);
  expect(log.lines.filter(({ level }) => level === "error")).toEqual([]);
  expect(quarantine.list()).toMatchObject([{ key: "lists:task:tsk_a" }]);
  await expect(quarantine.restore("qua_tsk_a")).rejects.toMatchObject({
    code: "QUARANTINE_NOT_RESTORED",
    message: expect.stringContaining("unique") as string,
  });
});

test.each([[[]], [["title"]]])(
  "a record that fits again is out of quarantine once its collection is open (unique: %j)",
  async (unique) => {
    const own = { ...definition, unique };
    const strict = Task.extend({ rank: z.number().min(5) });
    const first = await openTestStore();
    const { folder } = first;
    await first
      .storeOf("lists")
      .collection(own)
      .insert({ id: "tsk_a", title: "Milk", rank: 1 });
    await first.engine.close();

    const second = await openTestStore(folder);
    const unread = second
      .storeOf("lists")
      .collection({ ...own, schema: strict });
    expect((await unread.list()).items).toEqual([]);
    expect(second.quarantine.list()).toHaveLength(1);
    await second.engine.close();

    const { quarantine, storeOf } = await openTestStore(folder);
    const tasks = storeOf("lists").collection(own);
    // Waits for the upkeep, and reads no record.
    await tasks.count("title", [], 1);
    expect(quarantine.list()).toEqual([]);
    expect((await tasks.list()).items).toMatchObject([{ id: "tsk_a" }]);
  },
);

test("of two new records at once, one takes the place of one that cannot be read", async () => {
  const { tasks } = await openWithUnfit();
  const add = (title: string) => tasks.insert({ id: "tsk_a", title, rank: 2 });
  const results = await Promise.allSettled([add("First"), add("Second")]);
  expect(results).toMatchObject([
    { status: "fulfilled" },
    { status: "rejected", reason: { code: "RECORD_EXISTS" } },
  ]);
  expect(await tasks.get("tsk_a")).toMatchObject({ title: "First" });
});

test("the index entries of a record that cannot be read go when another takes its place", async () => {
  const { tasks, engine } = await openWithUnfit();
  await tasks.insert({ id: "tsk_a", title: "New", rank: 2 });
  const list = async (rank: string) =>
    (await tasks.list({ index: "rank", prefix: [rank] })).items;
  expect(await list("high")).toEqual([]);
  expect(await list("2")).toMatchObject([{ title: "New" }]);
  expect(await engine.keys("lists:task~newest:")).toHaveLength(1);
});

test("reading continues while no copy can be written, and the copy follows", async () => {
  const { tasks, core, quarantine, log } = await openWithUnfit();
  await tasks.insert({ id: "tsk_b", title: "Fine", rank: 1 });
  const commit = vi.spyOn(core, "commit");
  for (let time = 0; time < 2; time++)
    commit.mockRejectedValueOnce(errors.STORAGE_FULL());
  expect((await tasks.list()).items).toMatchObject([{ id: "tsk_b" }]);
  expect(await tasks.get("tsk_a")).toBeUndefined();
  expect(quarantine.list()).toEqual([]);
  expect(log.lines.filter(({ level }) => level === "error")).toHaveLength(2);
  expect(await tasks.get("tsk_a")).toBeUndefined();
  expect(quarantine.list()).toMatchObject([{ key: "lists:task:tsk_a" }]);
});

test("nothing takes the place of a record whose copy cannot be written", async () => {
  const { tasks, core, engine } = await openWithUnfit();
  const { commit } = core;
  vi.spyOn(core, "commit").mockImplementation(async (plugin, ...rest) => {
    if (plugin === "kernel") throw errors.STORAGE_FULL();
    return commit(plugin, ...rest);
  });
  await expect(
    tasks.insert({ id: "tsk_a", title: "New", rank: 2 }),
  ).rejects.toMatchObject({ code: "STORAGE_FULL" });
  expect(await engine.get("lists:task:tsk_a")).toEqual(unfit("tsk_a"));
});

test("a damaged copy keeps no other from being restored", async () => {
  const { engine, folder } = await openTestStore();
  const key = "lists:task:tsk_a";
  const value = seal(toTask("tsk_a", "Milk"));
  for (const id of ["qua_1", "qua_2"])
    await engine.commit([
      {
        type: "set",
        key: `kernel:quarantine:${id}`,
        value: { key, owner: "lists", reason: "?", value },
      },
    ]);
  await engine.close();
  cutShort(folder, "kernel:quarantine:qua_1");
  const { quarantine, storeOf } = await openTestStore(folder);
  const tasks = storeOf("lists").collection(definition);
  expect((await tasks.list()).items).toMatchObject([{ title: "Milk" }]);
  expect(quarantine.list()).toEqual([]);
});

test("what is nested deeper than anything that is stored here is not parsed, and gets a copy", async () => {
  const { store, tasks, engine, quarantine } = await openWithUnfit();
  const levels = 100_000;
  const nested = "[".repeat(levels) + "]".repeat(levels);
  const text = `{"v":1,"data":${nested}}`;
  // It is as long, has as many brackets, and is nested less.
  const wide = { note: "[{".repeat(levels), all: [[], [[], []], '\\"['] };
  await engine.rewrite((write) =>
    write([
      { type: "set", key: "lists:deep", value: nested },
      { type: "set", key: "lists:task:tsk_deep", value: text },
      { type: "set", key: "lists:wide", value: JSON.stringify(wide) },
    ]),
  );
  const parse = vi.spyOn(JSON, "parse");
  expect(await store.get("deep")).toBeUndefined();
  expect(await tasks.get("tsk_deep")).toBeUndefined();
  expect(await store.get("wide")).toEqual(wide);
  const parsed = parse.mock.calls.map(([given]) => given);
  parse.mockRestore();
  expect(parsed).not.toContain(nested);
  expect(parsed).not.toContain(text);
  const reason = "it is nested too deep";
  expect(quarantine.list()).toMatchObject([
    { key: "lists:deep", reason },
    { key: "lists:task:tsk_deep", reason },
  ]);
  const [{ id } = { id: "" }] = quarantine.list();
  expect((await engine.get(`kernel:quarantine:${id}`)) as object).toMatchObject(
    { value: nested },
  );
});
