import fc from "fast-check";
import { runs } from "@gantry/build/testing";
import { expect, test } from "vitest";
import type { EventRecord, StoreOperation } from "@gantry/plugin";
import { runInContext } from "@gantry/system/context/work-context";
import type { WorkContext } from "@gantry/system/context/work-context";
import { createEventLog } from "@gantry/store/events/event-log";
import { createStoreCore, eventKey } from "@gantry/store/store-core";
import type { Engine } from "@gantry/store/engine";
import { cutShort, openTestStore } from "./support/store.ts";

const added = (subject: string) => ({ type: "a.added", subject, data: {} });
const mark: StoreOperation = { type: "set", key: "kernel:mark", value: {} };

test("events are numbered without a gap and delivered in that order, after they are stored", async () => {
  const { core, engine } = await openTestStore();
  const heard: EventRecord[] = [];
  core.subscribe((events) => {
    expect(core.latestEventId()).toBe(events.at(-1)?.id);
    heard.push(...events);
  });
  await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      core.commit("a", [], [added(`${n}-1`), added(`${n}-2`)]),
    ),
  );
  expect(heard.map(({ id }) => id)).toEqual(
    Array.from({ length: 40 }, (_, n) => n + 1),
  );
  expect(await engine.get(eventKey(40))).toEqual(heard.at(-1));
});

test("numbers continue where they were, also if the newest event is damaged", async () => {
  const { core, engine, folder, clock } = await openTestStore();
  await core.commit("a", [], [added("1"), added("2"), added("3")]);
  cutShort(folder, eventKey(3));
  const again = await createStoreCore(engine, clock);
  expect(again.latestEventId()).toBe(3);
  await again.commit("a", [], [added("4")]);
  const log = createEventLog(again, clock);
  expect((await log.read(0, 10)).map(({ id }) => id)).toEqual([1, 2, 4]);
  expect(await log.holds(0)).toBe(true);
});

test("what a work carries is written with its first batch, once", async () => {
  const { core, engine } = await openTestStore();
  const context: WorkContext = { plugin: "a", unit: { carried: [mark] } };
  await runInContext(context, async () => {
    await core.commit("a", [{ type: "set", key: "a:1", value: {} }]);
    expect(await engine.keys("")).toEqual(["a:1", "kernel:mark"]);
    await engine.commit([{ type: "remove", key: "kernel:mark" }]);
    await core.commit("a", [{ type: "set", key: "a:2", value: {} }]);
  });
  expect(await engine.keys("")).toEqual(["a:1", "a:2"]);
});

test("what a work carries is still to be written after a batch that failed", async () => {
  const { engine, clock } = await openTestStore();
  let isFull = true;
  const failing: Engine = {
    ...engine,
    commit: (...batch) =>
      isFull ? Promise.reject(new Error("Full")) : engine.commit(...batch),
  };
  const core = await createStoreCore(failing, clock);
  const context: WorkContext = { plugin: "a", unit: { carried: [mark] } };
  await runInContext(context, async () => {
    const write = () =>
      core.commit("a", [{ type: "set", key: "a:1", value: {} }]);
    await expect(write()).rejects.toThrow("Full");
    isFull = false;
    await write();
  });
  expect(await engine.keys("")).toEqual(["a:1", "kernel:mark"]);
});

test("events are delivered in the order of their numbers, whatever else is written with them, also after one that failed", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          isCarrying: fc.boolean(),
          isBroken: fc.boolean(),
          count: fc.integer({ min: 1, max: 3 }),
        }),
        { minLength: 2, maxLength: 8 },
      ),
      async (batches) => {
        const { core, engine } = await openTestStore();
        const heard: number[] = [];
        const seenAt: number[] = [];
        core.subscribe((events) => {
          heard.push(...events.map(({ id }) => id));
          seenAt.push(core.latestEventId());
        });
        const written = await Promise.allSettled(
          batches.map(({ isCarrying, isBroken, count }, at) =>
            runInContext(
              { plugin: "a", unit: isCarrying ? { carried: [mark] } : {} },
              async () => {
                const events = Array.from({ length: count }, () =>
                  added(String(at)),
                );
                const value = isBroken ? { n: 1n } : {};
                await core.commit(
                  "a",
                  [{ type: "set", key: `a:${at}`, value }],
                  events,
                );
                // A caller whose write resolved can rely on it that the events were delivered.
                return heard.length;
              },
            ),
          ),
        );
        const expected = batches.filter(({ isBroken }) => !isBroken);
        expect(
          written.filter(({ status }) => status === "fulfilled"),
        ).toHaveLength(expected.length);
        expect(heard).toHaveLength(
          expected.reduce((sum, { count }) => sum + count, 0),
        );
        expect(heard).toEqual([...heard].sort((a, b) => a - b));
        expect(seenAt).toEqual([...seenAt].sort((a, b) => a - b));
        await engine.close();
      },
    ),
    { numRuns: runs(60) },
  );
});
