import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import memory from "unstorage/drivers/memory";
import { describe, expect, test } from "vitest";
import { runs, temporaryFolder } from "@gantry/build/testing";
import type { EventRecord, StoreOperation } from "@gantry/plugin";
import { createPlainDriver } from "@gantry/storage-unstorage";
import { openEngine } from "@gantry/store/engine";
import { createEventLog } from "@gantry/store/events/event-log";
import { createStoreCore, eventKey } from "@gantry/store/store-core";
import { createSqliteDriver } from "@gantry/store/sqlite-driver";
import { createFakeClock } from "../../../testing/src/index.ts";

/** More than the storages of this test have room for. */
const TOO_LARGE = "x".repeat(500_000);
const MAX_PAGES = 60;

/** A database that is full soon. */
async function openSqlite() {
  const file = join(await temporaryFolder(), "store.sqlite");
  return () => {
    const driver = createSqliteDriver(file);
    const database = driver.getInstance?.() as DatabaseSync;
    database.exec(`PRAGMA max_page_count = ${MAX_PAGES}`);
    return Promise.resolve(openEngine(driver));
  };
}

/** A storage that refuses what is too large, and each key of a batch that breaks off for the first time that it is written. */
async function openPlain() {
  const driver = memory();
  const broken = new Set<string>();
  return async () =>
    openEngine(
      await createPlainDriver({
        ...driver,
        dispose: () => {},
        setItem(key, value, options) {
          if (value.length >= TOO_LARGE.length) throw new Error("Full");
          if (key.startsWith("a:breaks") && !broken.has(key)) {
            broken.add(key);
            throw new Error("Gone");
          }
          return driver.setItem?.(key, value, options);
        },
      }),
    );
}

const drivers = [
  { name: "sqlite", create: openSqlite },
  { name: "unstorage", create: openPlain },
];

type Kind = "plain" | "carriesNone" | "conflicts" | "full" | "breaks";

function toOperations(kind: Kind, name: string): StoreOperation[] {
  const value = kind === "full" ? { text: TOO_LARGE } : {};
  const set = { type: "set", key: `a:${kind}-${name}`, value } as const;
  if (kind === "carriesNone") return [];
  return kind === "conflicts"
    ? [{ type: "absent", key: "a:there" }, set]
    : [set];
}

const batches = fc.array(
  fc.record({
    kind: fc.constantFrom<Kind>(
      "plain",
      "carriesNone",
      "conflicts",
      "full",
      "breaks",
    ),
    count: fc.integer({ min: 0, max: 3 }),
  }),
  { minLength: 1, maxLength: 8 },
);

describe.each(drivers)("events on $name", ({ create }) => {
  test("are numbered without a gap in the order in which they are written, also among batches that are refused and after a restart", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(batches, { minLength: 1, maxLength: 4 }),
        async (lives) => {
          const open = await create();
          const heard: EventRecord[] = [];
          const written: string[] = [];
          const refused: string[] = [];
          for (const [life, commits] of lives.entries()) {
            const engine = await open();
            const clock = createFakeClock();
            const core = await createStoreCore(engine, clock);
            const opened = core.latestEventId();
            core.subscribe((events) => heard.push(...events));
            await core.commit("a", [
              { type: "set", key: "a:there", value: {} },
            ]);
            await Promise.all(
              commits.map(async ({ kind, count }, at) => {
                const name = `${life}-${at}`;
                const subjects = Array.from(
                  { length: count },
                  (_, n) => `${kind}-${name}-${n}`,
                );
                const events = subjects.map((subject) => ({
                  type: "a.added",
                  subject,
                  data: { n: at },
                }));
                try {
                  await core.commit("a", toOperations(kind, name), events);
                  written.push(...subjects);
                } catch {
                  if (kind !== "breaks") refused.push(...subjects);
                }
              }),
            );
            // Finishes a batch that broke off.
            await core.commit("a", [{ type: "remove", key: "a:there" }]);
            const log = await createEventLog(core, clock).read(0, 500, 500);
            expect(log.map(({ id }) => id)).toEqual(log.map((_, at) => at + 1));
            const last = Math.max(opened, heard.at(-1)?.id ?? 0);
            expect(core.latestEventId()).toBe(last);
            expect(
              await Promise.all(
                heard.map(({ id }) => engine.get(eventKey(id))),
              ),
            ).toEqual(heard);
            const stored = new Set(log.map(({ subject }) => subject));
            expect(refused.filter((each) => stored.has(each))).toEqual([]);
            await engine.close();
          }
          expect(heard.map(({ subject }) => subject)).toEqual(written);
          const ids = heard.map(({ id }) => id);
          expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
        },
      ),
      { numRuns: runs(40) },
    );
  });
});

test("an event is stored as the text that it always had, also one that is emitted again", async () => {
  const open = await openSqlite();
  const engine = await open();
  const clock = createFakeClock();
  const core = await createStoreCore(engine, clock);
  const at = clock.timestamp();
  const event = { type: "a.added", subject: "ü", data: { id: 7, at: '"' } };
  const records: EventRecord[] = [];
  core.subscribe((events) => records.push(...events));
  await core.commit("a", [], [event]);
  await core.commit("b", [], records);
  const { readRange, close } = await engine.openImage();
  const all = { from: "", to: "l", limit: 10, reverse: false };
  const stored = [
    { ...event, id: 1, at, plugin: "a" },
    { ...event, id: 2, at, plugin: "b" },
  ];
  expect(await readRange(all)).toEqual(
    stored.map((value, n) => ({
      key: `kernel:event:000000000000000${n + 1}`,
      text: JSON.stringify(value),
    })),
  );
  expect(records).toEqual(stored);
  await close();
  await engine.close();
});

test("an event that is no JSON is refused to its caller alone", async () => {
  const engine = await (await openSqlite())();
  const core = await createStoreCore(engine, createFakeClock());
  const added = (data: unknown) => ({ type: "a.added", subject: "x", data });
  const [first, second] = await Promise.allSettled([
    core.commit("a", [], [added(1n)]),
    core.commit("a", [], [added(1)]),
  ]);
  expect(first).toMatchObject({ reason: expect.any(TypeError) as unknown });
  expect(second.status).toBe("fulfilled");
  expect(core.latestEventId()).toBe(1);
  await engine.close();
});
