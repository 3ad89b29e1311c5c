import fc from "fast-check";
import { runs } from "@gantry/build/testing";
import { expect, test, vi } from "vitest";
import type { CollectionDefinition } from "@gantry/plugin";
import { storedFields } from "@gantry/plugin/zod";
import * as z from "zod";
import { errors } from "@gantry/system/errors";
import { createScopedStore } from "@gantry/store/scoped-store";
import { openTestStore } from "./support/store.ts";

const Task = z.object({
  ...storedFields,
  title: z.string(),
  state: z.string(),
});
type Task = z.infer<typeof Task>;
type Indexes = NonNullable<CollectionDefinition<Task>["indexes"]>;

const define = (
  indexes: Indexes = {},
  more: Partial<CollectionDefinition<Task>> = {},
): CollectionDefinition<Task> => ({
  name: "task",
  version: 1,
  schema: Task,
  indexes,
  ...more,
});

const byState: Indexes = { state: ({ state }) => [state] };

/** A store with so many tasks, every third of them done. */
async function openFilled(count: number, definition = define()) {
  const opened = await openTestStore();
  const tasks = opened.storeOf("lists").collection(definition);
  await Promise.all(
    Array.from({ length: count }, (_, n) =>
      tasks.insert({
        id: `tsk_${String(n).padStart(5, "0")}`,
        title: `Task ${n}`,
        state: n % 3 === 0 ? "done" : "open",
      }),
    ),
  );
  const entries = (index: string) => opened.engine.keys(`lists:task~${index}:`);
  return { ...opened, entries };
}

const builds = ({ log }: Awaited<ReturnType<typeof openFilled>>) =>
  log.lines.filter(({ message }) => message === "Building indexes").length;

test("an index that is new is built before it is read, once", async () => {
  const opened = await openFilled(1_300);
  const reopen = () => opened.storeOf("lists").collection(define(byState));
  const first = reopen();
  expect(await first.count("state", ["done"], 1_000)).toBe(434);
  expect((await first.list({ index: "state", limit: 500 })).items).toHaveLength(
    500,
  );
  expect(builds(opened)).toBe(1);
  expect(await reopen().count("state", ["done"], 1_000)).toBe(434);
  expect(builds(opened)).toBe(1);
});

test("an index that is defined in another way is rebuilt and keeps nothing of the old", async () => {
  const opened = await openFilled(600, define(byState));
  const tasks = opened
    .storeOf("lists")
    .collection(define({ state: ({ state }) => [state.toUpperCase()] }));
  expect(await tasks.count("state", ["DONE"], 1_000)).toBe(200);
  expect(await tasks.count("state", ["done"], 1_000)).toBe(0);
  expect(await opened.entries("state")).toHaveLength(600);
});

test("an index whose helper has changed is found out by the newest records", async () => {
  let rename = (state: string) => state;
  const indexes: Indexes = { state: ({ state }) => [rename(state)] };
  const opened = await openFilled(30, define(indexes));
  rename = (state) => `${state}!`;
  const tasks = opened.storeOf("lists").collection(define(indexes));
  expect(await tasks.count("state", ["done!"], 100)).toBe(10);
  expect(await opened.entries("state")).toHaveLength(30);
});

test("what an index that is dropped had written is removed", async () => {
  const opened = await openFilled(20, define(byState));
  await opened.storeOf("lists").collection(define()).list();
  expect(await opened.entries("state")).toEqual([]);
  expect(await opened.entries("newest")).toHaveLength(20);
});

test("a home of a daemon that noted no definitions is taken as it is, but for what is new", async () => {
  const opened = await openFilled(30, define(byState));
  await opened.engine.commit([
    { type: "remove", key: "kernel:collection:lists:task" },
  ]);
  const tasks = opened
    .storeOf("lists")
    .collection(define({ ...byState, title: ({ title }) => [title] }));
  expect(await tasks.count("title", [], 100)).toBe(30);
  expect(await tasks.count("state", [], 100)).toBe(30);
});

test("what is written while an index is built is in it", async () => {
  const opened = await openFilled(2_100);
  const tasks = opened.storeOf("lists").collection(define(byState));
  const changes = [
    tasks.update("tsk_00000", (record) => ({
      record: { ...record, state: "late" },
    })),
    tasks.insert({ id: "tsk_new", title: "New", state: "late" }),
    tasks.remove("tsk_02099"),
  ];
  expect(await tasks.count("state", [], 5_000)).toBe(2_100);
  await Promise.all(changes);
  expect(await tasks.count("state", [], 5_000)).toBe(2_100);
  expect(await tasks.count("state", ["late"], 5_000)).toBe(2);
});

test("an index that the storage does not let be built is refused, and built at a later start", async () => {
  const opened = await openFilled(30);
  const commit = vi.spyOn(opened.engine, "commit");
  commit.mockRejectedValue(errors.STORAGE_FULL());
  const open = () => opened.storeOf("lists").collection(define(byState));
  const tasks = open();
  const full = { code: "STORAGE_FULL" };
  await expect(tasks.list({ index: "state" })).rejects.toMatchObject(full);
  await expect(tasks.count("state", [], 100)).rejects.toMatchObject(full);
  expect((await tasks.list()).items).toHaveLength(30);
  commit.mockRestore();
  expect(await open().count("state", [], 100)).toBe(30);
});

/** Opens a collection whose plugin is stopped at a step of the upkeep. */
async function openInterrupted(
  opened: Awaited<ReturnType<typeof openFilled>>,
  definition: CollectionDefinition<Task>,
  stopAt: number,
): Promise<void> {
  let steps = 0;
  const signal = {
    get aborted() {
      return steps > stopAt;
    },
    throwIfAborted() {
      if (++steps > stopAt) throw new Error("Stopped");
    },
  } as AbortSignal;
  const store = createScopedStore("lists", { ...opened, signal });
  await store.collection(definition).list();
}

test.each([
  ["rebuilt", define({ state: ({ state }) => [state.toUpperCase()] })],
  ["dropped", define()],
])(
  "a rollback while an index is %s, at any step, finds it whole",
  async (_, later) => {
    const opened = await openFilled(1_700, define(byState));
    for (let stopAt = 0; stopAt < 8; stopAt++) {
      await openInterrupted(opened, later, stopAt);
      const tasks = opened.storeOf("lists").collection(define(byState));
      expect(await tasks.count("state", ["done"], 5_000)).toBe(567);
      expect(await opened.entries("state")).toHaveLength(1_700);
    }
    const last = opened.storeOf("lists").collection(later);
    await last.list();
    const left = later.indexes?.["state"] ? 1_700 : 0;
    expect(await opened.entries("state")).toHaveLength(left);
  },
);

test("a build that is interrupted at any step is done by a later start", async () => {
  const opened = await openFilled(1_700);
  for (let stopAt = 0; stopAt < 4; stopAt++) {
    await openInterrupted(opened, define(byState), stopAt);
    expect((await opened.entries("state")).length).toBeLessThan(1_700);
  }
  const tasks = opened.storeOf("lists").collection(define(byState));
  expect(await tasks.count("state", [], 5_000)).toBe(1_700);
  expect(opened.log.lines.filter(({ level }) => level === "error")).toEqual([]);
});

test(
  "upgrades and rollbacks in any order lose nothing, double nothing and leave the records as they were",
  { tags: "thorough" },
  async () => {
    const wide = Task.extend({ color: z.string().default("none") });
    const releases: CollectionDefinition<Task>[] = [
      define(),
      define(byState),
      define({ ...byState, title: ({ title }) => [title] }),
      define(byState, {
        schema: Task.extend({ state: z.enum(["open", "done"]) }),
      }),
      define({}, { schema: wide as never }),
      define(byState, { version: 2, migrate: (data) => data }),
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            release: fc.nat({ max: releases.length - 1 }),
            touched: fc.nat({ max: 9 }),
            state: fc.constantFrom("open", "done", "odd"),
          }),
          { minLength: 1, maxLength: 8 },
        ),
        async (starts) => {
          const { engine, core, quarantine, clock, log } = await openFilled(10);
          const titles = new Map<string, string>();
          for (const [at, { release, touched, state }] of starts.entries()) {
            const tasks = createScopedStore("lists", {
              core,
              quarantine,
              clock,
              log,
            }).collection(releases[release]!);
            await tasks.list();
            const id = `tsk_0000${touched}`;
            const isWritten = await tasks
              .update(id, (record) => ({
                record: { ...record, title: `At ${at}`, state },
              }))
              // A later version's record, or a state that this release does not know.
              .catch(() => undefined);
            if (isWritten) titles.set(id, `At ${at}`);
          }
          const last = createScopedStore("lists", {
            core,
            quarantine,
            clock,
            log,
          }).collection(
            define(
              { ...byState, title: ({ title }) => [title] },
              { version: 2, migrate: (data) => data },
            ),
          );
          for (const index of ["newest", "state", "title"]) {
            const { items } = await last.list({ index, order: "ascending" });
            expect(new Set(items.map(({ id }) => id)).size).toBe(10);
            expect(items).toHaveLength(10);
            for (const { id, title } of items)
              expect(title).toBe(
                titles.get(id) ?? `Task ${Number(id.slice(4))}`,
              );
          }
          expect(quarantine.list()).toEqual([]);
          await engine.close();
        },
      ),
      { numRuns: runs(40) },
    );
  },
);
