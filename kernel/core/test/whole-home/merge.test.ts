import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { defineService, MACHINE_PREFIX } from "@gantry/plugin";
import type { Collection, PluginContext } from "@gantry/plugin";
import { storedFields } from "@gantry/plugin/zod";
import * as z from "zod";
import { HomeReplaced } from "../../../contract/src/index.ts";
import { createProbe, startProbe } from "../support/probe.ts";
import { makeStage, readHome, replaceWith } from "../support/whole-home.ts";

const Task = z.object({
  ...storedFields,
  title: z.string(),
  state: z.string(),
});
type Task = z.infer<typeof Task>;

/** A plugin with a collection, and another one that merges its records. */
async function startLists() {
  const lists: {
    ctx?: PluginContext;
    tasks?: Collection<Task>;
    starts: number;
  } = { starts: 0 };
  const plugin = createProbe({
    id: "lists",
    setup(ctx) {
      lists.ctx = ctx;
      lists.starts++;
      lists.tasks = ctx.store.collection<Task>({
        name: "task",
        version: 1,
        schema: Task,
        indexes: {
          state: ({ state }) => [state],
          title: ({ title }) => [title],
        },
        unique: ["title"],
      });
    },
  });
  const kernel = await startProbe({ id: "keeper" }, { beside: [plugin] });
  return {
    kernel,
    get ctx() {
      return lists.ctx!;
    },
    get tasks() {
      return lists.tasks!;
    },
    get starts() {
      return lists.starts;
    },
    add: (id: string, title: string, state = "open") =>
      lists.tasks!.insert({ id, title, state }),
    /** Titles by an index, which are wrong if its entries are. */
    titles: async (index: string) =>
      (await lists.tasks!.list({ index, order: "ascending" })).items.map(
        ({ title }) => title,
      ),
    [Symbol.asyncDispose]: () => kernel[Symbol.asyncDispose](),
  };
}

test("records and files are added or take the place of others, and the indexes are right", async () => {
  await using lists = await startLists();
  const { kernel } = lists;
  const { wholeHome } = kernel.ctx;
  await lists.add("one", "One");
  await lists.add("two", "Two");
  await lists.ctx.store.set("setting", { is: "old" });
  const folder = await lists.ctx.folder();
  await mkdir(join(folder, "deep"));
  await writeFile(join(folder, "deep", "a.txt"), "old");
  const { lists: staged } = await readHome(wholeHome);
  await lists.tasks.update("one", (task) => ({
    record: { ...task, title: "Changed", state: "done" },
  }));
  await lists.tasks.remove("two");
  await lists.add("three", "Three");
  await lists.ctx.store.set("setting", { is: "new" });
  await lists.ctx.store.set("other", { is: "kept" });
  await writeFile(join(folder, "deep", "a.txt"), "new");
  await writeFile(join(folder, "deep", "b.txt"), "kept");
  const first = kernel.kernel;
  await replaceWith(
    wholeHome,
    {
      store: { lists: staged! },
      files: {
        "data/lists/deep/a.txt": "old",
        "data/lists/more/c.txt": "brought",
      },
    },
    { mode: "merge" },
  );
  expect(kernel.kernel).toBe(first);
  expect(lists.starts).toBe(2);
  expect(await lists.titles("title")).toEqual(["One", "Three", "Two"]);
  expect(await lists.titles("newest")).toHaveLength(3);
  expect(await lists.tasks.count("state", ["done"], 10)).toBe(0);
  expect(await lists.tasks.count("state", ["open"], 10)).toBe(3);
  expect(await lists.ctx.store.get("setting")).toEqual({ is: "old" });
  expect(await lists.ctx.store.get("other")).toEqual({ is: "kept" });
  expect(await readFile(join(folder, "deep", "a.txt"), "utf8")).toBe("old");
  expect(await readFile(join(folder, "deep", "b.txt"), "utf8")).toBe("kept");
  expect(await readFile(join(folder, "more", "c.txt"), "utf8")).toBe("brought");
  expect(await wholeHome.lastReplacement()).toMatchObject({
    mode: "merge",
    failure: null,
  });
  expect(await readdir(join(kernel.home, "restore"))).toEqual(["result.json"]);
  expect(kernel.events.all(HomeReplaced)).toMatchObject([
    { data: { mode: "merge", failure: null } },
  ]);
});

test("a record that would break a unique index is put into quarantine, and the one that is there stays", async () => {
  await using lists = await startLists();
  const { kernel } = lists;
  await lists.add("one", "Same");
  const { lists: staged } = await readHome(kernel.ctx.wholeHome);
  await lists.tasks.remove("one");
  await lists.add("other", "Same", "here");
  await replaceWith(
    kernel.ctx.wholeHome,
    { store: { lists: staged! } },
    { mode: "merge" },
  );
  expect((await lists.tasks.list({ index: "title" })).items).toMatchObject([
    { id: "other", state: "here" },
  ]);
  expect(await lists.tasks.get("one")).toBeUndefined();
  const { quarantine } = kernel.kernel.foundation;
  const [copy, ...more] = quarantine.list();
  expect(more).toEqual([]);
  expect(copy).toMatchObject({
    owner: "lists",
    key: "lists:task:one",
    reason: expect.stringContaining("title") as string,
  });
  await expect(quarantine.restore(copy!.id)).rejects.toMatchObject({
    code: "QUARANTINE_NOT_RESTORED",
  });
  await lists.tasks.remove("other");
  await quarantine.restore(copy!.id);
  expect(await lists.tasks.get("one")).toMatchObject({ title: "Same" });
});

const Lists = defineService<{ count(): Promise<number> }>("lists.lists@1");
const Between = defineService<object>("between.between@1");
const needs = { lists: Lists };

/** A plugin whose records are merged. */
function createLists() {
  const seen = { stops: 0 };
  const plugin = createProbe({
    id: "lists",
    provides: [Lists],
    setup(ctx) {
      ctx.provide(Lists, {
        count: async () => (await ctx.store.keys("")).length,
      });
      ctx.own(() => void seen.stops++);
    },
  });
  const staged = { store: { lists: [{ key: "lists:a", text: "{}" }] } };
  return { seen, plugin, staged };
}

test("a plugin that needs one whose records are merged is stopped with it", async () => {
  const { seen, plugin, staged } = createLists();
  const counts: number[] = [];
  const reader = createProbe({
    ...{ id: "reader", needs },
    async setup(ctx) {
      counts.push(
        await (ctx.needs.lists as { count(): Promise<number> }).count(),
      );
    },
  });
  await using kernel = await startProbe(
    { id: "keeper" },
    { beside: [plugin, reader] },
  );
  await replaceWith(kernel.ctx.wholeHome, staged, { mode: "merge" });
  expect(seen.stops).toBe(1);
  expect(counts).toEqual([0, 1]);
});

test("a plugin cannot merge records of one that it needs", async () => {
  const { seen, plugin, staged } = createLists();
  const between = createProbe({
    ...{ id: "between", needs, provides: [Between] },
    setup: (ctx) => void ctx.provide(Between, {}),
  });
  await using kernel = await startProbe(
    { id: "keeper", needs: { between: Between } },
    { beside: [plugin, between] },
  );
  await expect(
    replaceWith(kernel.ctx.wholeHome, staged, { mode: "merge" }),
  ).rejects.toThrow(/"lists" cannot be merged by "keeper", which needs it/);
  expect(seen.stops).toBe(0);
});

test("a merge that cannot be done leaves all as it was and tells why", async () => {
  await using lists = await startLists();
  const { kernel } = lists;
  const { wholeHome } = kernel.ctx;
  await lists.add("one", "One");
  const folder = await lists.ctx.folder();
  await writeFile(join(folder, "a.txt"), "old");
  const before = await readHome(wholeHome);
  const stage = await makeStage(wholeHome, {
    store: { lists: [{ key: "lists:b", text: "{}" }] },
    files: { "data/lists/a.txt": "new", "data/lists/b/c.txt": "new" },
  });
  const { engine } = kernel.kernel.foundation.core;
  vi.spyOn(engine, "rewrite").mockImplementationOnce((work) =>
    engine.rewrite(async (write) => {
      await work(write);
      throw new Error("The store cannot be written.");
    }),
  );
  await wholeHome.replace({
    stage,
    mode: "merge",
    keepsSessions: true,
    note: {},
  });
  kernel.expectFault(/could not be replaced/);
  expect((await wholeHome.lastReplacement())?.failure).toEqual(
    expect.any(String),
  );
  expect((await readHome(wholeHome)).lists).toEqual(before.lists);
  expect(await readFile(join(folder, "a.txt"), "utf8")).toBe("old");
  expect(await readdir(folder)).toEqual(["a.txt"]);
  expect(await lists.titles("title")).toEqual(["One"]);
});

test("how a merge ended is known, although the disk has no room for that beside the stage", async () => {
  await using lists = await startLists();
  const { kernel } = lists;
  const { wholeHome } = kernel.ctx;
  const { restore } = kernel.kernel.foundation;
  const stage = await makeStage(wholeHome, {
    store: { lists: [{ key: "lists:b", text: "{}" }] },
  });
  const { writeResult } = restore;
  vi.spyOn(restore, "writeResult").mockImplementation(async (result) => {
    if (existsSync(stage)) throw new Error("The disk is full.");
    await writeResult(result);
  });
  await wholeHome.replace({
    stage,
    mode: "merge",
    keepsSessions: true,
    note: { of: "a test" },
  });
  expect(await wholeHome.lastReplacement()).toMatchObject({
    ...{ mode: "merge", note: { of: "a test" }, failure: null },
  });
});

test("a namespace of a plugin that is not there is merged all the same", async () => {
  await using kernel = await startProbe({ id: "keeper" });
  await replaceWith(
    kernel.ctx.wholeHome,
    { store: { absent: [{ key: "absent:a", text: '{"n":1}' }] } },
    { mode: "merge" },
  );
  expect((await readHome(kernel.ctx.wholeHome)).absent).toEqual([
    { key: "absent:a", text: '{"n":1}' },
  ]);
});

test.each([
  ["a folder where a file is to be", "data/lists/deep"],
  ["a file where a folder is to be", "data/lists/file.txt/a"],
])("%s is refused before anything is changed", async (_name, path) => {
  await using lists = await startLists();
  const folder = await lists.ctx.folder();
  await mkdir(join(folder, "deep"));
  await writeFile(join(folder, "file.txt"), "");
  await expect(
    replaceWith(
      lists.kernel.ctx.wholeHome,
      { files: { [path]: "" } },
      { mode: "merge" },
    ),
  ).rejects.toThrow(TypeError);
  expect(lists.starts).toBe(1);
});

test("a merge that the stop of the daemon interrupts is brought to its end by the next start", async () => {
  await using lists = await startLists();
  const { kernel } = lists;
  const { wholeHome } = kernel.ctx;
  await lists.add("one", "One");
  const records = Array.from({ length: 3_000 }, (_, n) => ({
    key: `lists:n${String(n).padStart(4, "0")}`,
    text: '{"n":1}',
  }));
  const stage = await makeStage(wholeHome, { store: { lists: records } });
  const { engine } = kernel.kernel.foundation.core;
  const rewrite = vi.spyOn(engine, "rewrite");
  const isBegun = new Promise<void>((resolve) =>
    rewrite.mockImplementationOnce((work) => {
      resolve();
      return engine.rewrite(work);
    }),
  );
  const merging = wholeHome.replace({
    stage,
    mode: "merge",
    keepsSessions: true,
    note: {},
  });
  await isBegun;
  await kernel.kernel.stop();
  await merging;
  expect(await readdir(join(kernel.home, "restore"))).toContain(
    "replacement.json",
  );
  await kernel.restart();
  expect(await lists.ctx.store.keys("n")).toHaveLength(records.length);
  expect(await lists.titles("title")).toEqual(["One"]);
  expect(await kernel.ctx.wholeHome.lastReplacement()).toMatchObject({
    mode: "merge",
    failure: null,
  });
});

test("what belongs to this machine comes from no stage", async () => {
  await using lists = await startLists();
  const { wholeHome } = lists.kernel.ctx;
  const key = `${MACHINE_PREFIX}done:a`;
  await lists.ctx.store.set(key, { at: "now" });
  const staged = [
    { key: `lists:${key}`, text: '{"at":"long ago"}' },
    { key: `lists:${MACHINE_PREFIX}done:b`, text: "{}" },
    { key: "lists:setting", text: '{"is":"staged"}' },
  ];
  await replaceWith(wholeHome, { store: { lists: staged } }, { mode: "merge" });
  expect(await lists.ctx.store.get("setting")).toEqual({ is: "staged" });
  expect(await lists.ctx.store.get(key)).toEqual({ at: "now" });
  expect(await lists.ctx.store.keys(MACHINE_PREFIX)).toEqual([key]);
});
