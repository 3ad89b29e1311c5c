import { expect, test } from "vitest";
import type { Clock } from "../src/clock.ts";
import { createPathGuard } from "../src/path-guard.ts";

const DEADLINE_MS = 10_000;

/** A guard, and time that passes when it is told to. */
function start() {
  let now = 0;
  const timers = new Map<() => void, number>();
  const clock: Pick<Clock, "after"> = {
    after(ms, callback) {
      timers.set(callback, now + ms);
      return () => timers.delete(callback);
    },
  };
  const guard = createPathGuard({
    clock: clock as Clock,
    refuse: (path) => new Error(`${path} is silent`),
  });
  async function pass(ms: number): Promise<void> {
    now += ms;
    for (const [callback, at] of timers)
      if (at <= now) {
        timers.delete(callback);
        callback();
      }
    await settle();
  }
  return { guard, pass };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Work that ends when it is told to. */
function hang() {
  let begun = 0;
  const { promise, resolve } = Promise.withResolvers<string>();
  const work = () => {
    begun += 1;
    return promise;
  };
  return { work, answer: () => resolve("late"), begun: () => begun };
}

const messageOf = (running: Promise<unknown>) =>
  running.then(
    () => "done",
    (error: Error) => error.message,
  );

test("work gives what it gives, and rejects with what it rejects with", async () => {
  const { guard } = start();
  expect(await guard.run("/a", () => Promise.resolve(1))).toBe(1);
  expect(
    await messageOf(guard.run("/a", () => Promise.reject(new Error("no")))),
  ).toBe("no");
});

test("a path that does not answer holds two threads at the most, and others go on", async () => {
  const { guard, pass } = start();
  const dead = hang();
  const asked = Array.from({ length: 5 }, () =>
    messageOf(guard.run("/dead", dead.work)),
  );
  expect(await guard.run("/a", () => Promise.resolve("quick"))).toBe("quick");
  await pass(DEADLINE_MS);
  expect(await Promise.all(asked)).toEqual(Array(5).fill("/dead is silent"));
  expect(await messageOf(guard.run("/dead", dead.work))).toBe(
    "/dead is silent",
  );
  expect(dead.begun()).toBe(2);
});

test("work on a path with another deadline does not wait", async () => {
  const { guard } = start();
  const long = hang();
  for (let count = 0; count < 5; count++)
    void messageOf(guard.run("/a", long.work, 25_000));
  expect(await guard.run("/a", () => Promise.resolve("quick"))).toBe("quick");
});

test("a path that answers again is worked on again", async () => {
  const { guard, pass } = start();
  const dead = hang();
  const asked = Array.from({ length: 3 }, () =>
    messageOf(guard.run("/dead", dead.work)),
  );
  await pass(DEADLINE_MS);
  await Promise.all(asked);
  dead.answer();
  await settle();
  expect(await guard.run("/dead", () => Promise.resolve("back"))).toBe("back");
});

test("what waits has its turn in time", async () => {
  const { guard } = start();
  const slow = hang();
  const asked = Array.from({ length: 4 }, () => guard.run("/a", slow.work));
  expect(slow.begun()).toBe(2);
  slow.answer();
  expect(await Promise.all(asked)).toEqual(Array(4).fill("late"));
  expect(slow.begun()).toBe(4);
});

test("paths that have answered and stop doing so leave threads to what asks no guard", async () => {
  const { guard, pass } = start();
  const paths = Array.from({ length: 100 }, (_, at) => `/was-quick/${at}`);
  for (const path of paths) await guard.run(path, () => Promise.resolve());
  const dead = hang();
  const asked = paths.flatMap((path) =>
    [DEADLINE_MS, 25_000].map((deadlineMs) =>
      messageOf(guard.run(path, dead.work, deadlineMs)),
    ),
  );
  for (let time = 0; time < 60_000; time += 500) await pass(500);
  expect(new Set(await Promise.all(asked)).size).toBe(100);
  // Of twelve threads.
  expect(dead.begun()).toBeLessThan(12);
  dead.answer();
  await settle();
  expect(await guard.run("/new", () => Promise.resolve("quick"))).toBe("quick");
});

test("a hundred paths that are asked for at once and do not answer leave threads to others", async () => {
  const { guard, pass } = start();
  await guard.run("/other", () => Promise.resolve());
  const dead = hang();
  const asked = Array.from({ length: 100 }, (_, at) =>
    [1, 2, 3].map(() => messageOf(guard.run(`/dead/${at}`, dead.work))),
  ).flat();
  const other = guard.run("/other", () => Promise.resolve("quick"));
  await pass(500);
  await pass(500);
  expect(await other).toBe("quick");
  for (let time = 1000; time < DEADLINE_MS; time += 500) await pass(500);
  expect(new Set(await Promise.all(asked)).size).toBe(100);
  // Of twelve threads.
  expect(dead.begun()).toBeLessThan(10);
  expect(await guard.run("/other", () => Promise.resolve("quick"))).toBe(
    "quick",
  );
});
