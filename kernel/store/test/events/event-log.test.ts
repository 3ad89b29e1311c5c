import { expect, test } from "vitest";
import type { StoreOperation } from "@gantry/plugin";
import { createEventLog } from "@gantry/store/events/event-log";
import { createStoreCore, eventKey } from "@gantry/store/store-core";
import { openTestStore } from "../support/store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const added = { type: "a.added", subject: "x", data: {} };

test("events are kept for seven days, and the newest for ever, since its number counts", async () => {
  const { core, clock, engine } = await openTestStore();
  const log = createEventLog(core, clock);
  await core.commit("a", [], [added, added]);
  await clock.advance(4 * DAY_MS);
  await core.commit("a", [], [added]);
  await clock.advance(4 * DAY_MS);
  await log.prune();
  expect((await log.read(0, 10)).map(({ id }) => id)).toEqual([3]);
  await clock.advance(30 * DAY_MS);
  await log.prune();
  expect([await log.holds(1), await log.holds(2)]).toEqual([false, true]);
  expect((await createStoreCore(engine, clock)).latestEventId()).toBe(3);
});

test("no more than 100,000 are kept", { tags: "thorough" }, async () => {
  const { clock, engine } = await openTestStore();
  const at = clock.timestamp();
  const count = 102_500;
  const operations = Array.from({ length: count }, (_, n): StoreOperation => ({
    type: "set",
    key: eventKey(n + 1),
    value: { ...added, id: n + 1, at, plugin: "a" },
  }));
  await engine.commit(operations);
  const log = createEventLog(await createStoreCore(engine, clock), clock);
  await log.prune();
  expect(await log.holds(2_499)).toBe(false);
  expect(await log.holds(2_500)).toBe(true);
  expect(await engine.keys("kernel:event:")).toHaveLength(100_000);
});

test("a part of the log is read, from behind a place up to another", async () => {
  const { core, clock } = await openTestStore();
  const log = createEventLog(core, clock);
  expect([await log.holds(0), await log.holds(1)]).toEqual([true, false]);
  await core.commit(
    "a",
    [],
    Array.from({ length: 9 }, () => added),
  );
  const idsOf = async (...args: Parameters<typeof log.read>) =>
    (await log.read(...args)).map(({ id }) => id);
  expect(await idsOf(0, 3)).toEqual([1, 2, 3]);
  expect(await idsOf(3, 100, 5)).toEqual([4, 5]);
  expect(await idsOf(9, 100)).toEqual([]);
});
