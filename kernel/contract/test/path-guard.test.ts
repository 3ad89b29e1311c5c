import { expect, test } from "vitest";
import type { Clock } from "../src/clock.ts";
import { createPathGuard } from "../src/path-guard.ts";
import type { ProcessExit, Run } from "../src/process.ts";

const DEADLINE_MS = 10_000;

/** A guard, time that passes when it is told to, and processes that look at paths: at dead ones until they are killed. */
function start(isDead: (path: string) => boolean = () => false) {
  let now = 0;
  const timers = new Map<() => void, number>();
  const looks: string[] = [];
  const clock: Pick<Clock, "after" | "monotonic"> = {
    after(ms, callback) {
      timers.set(callback, now + ms);
      return () => timers.delete(callback);
    },
    monotonic: () => now,
  };
  const runFind = (_file: string, [, path = ""]: readonly string[]) => {
    looks.push(path);
    const { promise, resolve } = Promise.withResolvers<ProcessExit>();
    const exit = { code: 0, signal: null, timedOut: false };
    if (!isDead(path)) resolve(exit);
    const kill = () => resolve({ ...exit, code: null, signal: "SIGKILL" });
    const output = { resume() {} };
    return Promise.resolve({
      stdout: output,
      stderr: output,
      exited: promise,
      kill,
    });
  };
  const find = () => Promise.resolve("/usr/bin/find");
  const guard = createPathGuard({
    clock,
    // Only what a look needs of it.
    run: Object.assign(runFind, { find }) as unknown as Run,
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
  return { guard, pass, looks };
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

test("a path that does not answer holds two threads at the most, and others continue", async () => {
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
    void messageOf(guard.run("/a", long.work, { deadlineMs: 25_000 }));
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

const isDead = (path: string) => path.startsWith("/dead");

test("paths that have answered and stop doing so together hold few threads, and others continue", async () => {
  const { guard, pass } = start(isDead);
  const paths = Array.from({ length: 100 }, (_, at) => `/dead/${at}`);
  for (const path of [...paths, "/other"])
    await guard.run(path, () => Promise.resolve());
  const dead = hang();
  const asked = paths.flatMap((path) =>
    [DEADLINE_MS, 25_000].map((deadlineMs) =>
      messageOf(guard.run(path, dead.work, { deadlineMs })),
    ),
  );
  const quick = () => Promise.resolve("quick");
  for (let time = 0; time < 60_000; time += 500) {
    const [known, unknown] = [
      guard.run("/other", quick),
      guard.run(`/new/${time}`, quick),
    ];
    await pass(500);
    await pass(0);
    expect(await Promise.all([known, unknown])).toEqual(["quick", "quick"]);
  }
  expect(new Set(await Promise.all(asked)).size).toBe(100);
  // Of twelve threads.
  expect(dead.begun()).toBe(4);
});

test("what does not answer inside of a path is looked at itself, and other work in the path continues", async () => {
  const { guard, pass, looks } = start(isDead);
  const dead = hang();
  const paths = ["/a", "/b", "/c", "/d", "/e", "/f"];
  const asked = paths.flatMap((path) =>
    [1, 2].map(() =>
      messageOf(guard.run(path, dead.work, { target: `/dead${path}` })),
    ),
  );
  await pass(500);
  // But in those that are held up twice.
  for (const path of paths.slice(2))
    expect(await guard.run(path, () => Promise.resolve("quick"))).toBe("quick");
  await pass(DEADLINE_MS);
  expect(await Promise.all(asked)).toEqual(
    paths.flatMap((path) => Array(2).fill(`${path} is silent`)),
  );
  expect(dead.begun()).toBe(4);
  expect(looks).toContain("/dead/e");
});

test("while no work is slow, nothing is looked at", async () => {
  const { guard, looks } = start();
  for (let count = 0; count < 100; count++)
    await guard.run(`/a/${count % 7}`, () => Promise.resolve());
  expect(looks).toEqual([]);
});

test("a path that is looked at again and again has one process at a time, and is worked on when it answers", async () => {
  let isAway = true;
  const { guard, pass, looks } = start((path) => path === "/dead" && isAway);
  void messageOf(guard.run("/slow", hang().work));
  await pass(500);
  const asked = [1, 2, 3].map(() =>
    guard.run("/dead", () => Promise.resolve("back"), { deadlineMs: 60_000 }),
  );
  await settle();
  expect(looks).toEqual(["/dead"]);
  await pass(5_000);
  expect(looks).toEqual(["/dead", "/dead"]);
  isAway = false;
  await pass(5_000);
  expect(await Promise.all(asked)).toEqual(["back", "back", "back"]);
  expect(looks).toHaveLength(3);
});
