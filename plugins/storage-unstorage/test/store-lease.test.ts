import fc from "fast-check";
import type { Driver } from "unstorage";
import { runs } from "@gantry/build/testing";
import { expect, test } from "vitest";
import type { Log } from "@gantry/plugin";
import {
  createFakeClock,
  settle,
} from "../../../kernel/testing/src/fake-clock.ts";
import type { LeaseOwner } from "../src/lease-owner.ts";
import { acquireStoreLease } from "../src/store-lease.ts";
import type { StoreLease } from "../src/store-lease.ts";

const log: Log = { debug() {}, info() {}, warn() {}, error() {} };

const ownerOf = (name: string): LeaseOwner => ({
  pid: 1,
  host: "mars",
  home: `/home/${name}`,
  place: name,
});

/** A store on the network: each operation takes its time both ways. */
function createNetworkStore(latency: () => number = () => 0) {
  const clock = createFakeClock();
  const entries = new Map<string, string>();
  const writes: { by: string; key: string }[] = [];
  let isDown = false;

  function connect(by: string) {
    let isCut = false;
    const travel = async () => {
      const wait = latency();
      if (wait > 0) await clock.sleep(wait);
      if (isCut) await new Promise(() => {});
    };
    const operate = async <Result>(work: () => Result): Promise<Result> => {
      await travel();
      const result = work();
      await travel();
      return result;
    };
    const driver: Driver & { disposed: boolean } = {
      name: "network",
      disposed: false,
      hasItem: (key) => operate(() => entries.has(key)),
      getItem: (key) =>
        operate(() => {
          if (isDown) throw new Error("No reads now");
          return entries.get(key) ?? null;
        }),
      getKeys: () => operate(() => [...entries.keys()]),
      setItem: (key, value) =>
        operate(() => {
          writes.push({ by, key });
          entries.set(key, value);
        }),
      removeItem: (key) => operate(() => void entries.delete(key)),
      dispose() {
        driver.disposed = true;
      },
    };
    return {
      driver,
      /** As when its machine is unplugged: nothing of it arrives any more, and nothing comes back. */
      cut: () => void (isCut = true),
    };
  }

  return {
    clock,
    entries,
    writes,
    connect,
    refuseReads: (refused: boolean) => void (isDown = refused),
  };
}

type NetworkStore = ReturnType<typeof createNetworkStore>;

function acquire(
  store: NetworkStore,
  name: string,
  owner = ownerOf(name),
): { taken: Promise<StoreLease>; cut(): void; driver: { disposed: boolean } } {
  const { driver, cut } = store.connect(name);
  const { clock } = store;
  const taken = acquireStoreLease({ driver, owner, clock, log });
  taken.catch(() => {});
  return { taken, cut, driver };
}

const write = (lease: StoreLease, key = "x") =>
  Promise.resolve(lease.driver.setItem?.(key, "{}", {}));

test("a store has one holder; the second is refused with its name, and the first continues", async () => {
  const store = createNetworkStore();
  const first = acquire(store, "a");
  await store.clock.advance(1_000);
  const lease = await first.taken;
  const second = acquire(store, "b");
  await store.clock.advance(4_000);
  await expect(second.taken).rejects.toMatchObject({
    exitCode: 3,
    message: expect.stringContaining(
      '(pid 1 on "mars", home /home/a) uses this store',
    ) as string,
  });
  expect(second.driver.disposed).toBe(true);
  await write(lease);
  expect(store.entries.has("x")).toBe(true);
});

test("a lease that was given back is free at once", async () => {
  const store = createNetworkStore();
  const first = acquire(store, "a");
  await store.clock.advance(300);
  await (await first.taken).driver.dispose?.();
  expect(first.driver.disposed).toBe(true);
  expect([...store.entries]).toEqual([]);
  expect(store.clock.pending).toBe(0);
  const second = acquire(store, "b");
  await store.clock.advance(300);
  await write(await second.taken);
});

test("the lease of a daemon that crashed expires after 15 seconds", async () => {
  const store = createNetworkStore();
  const first = acquire(store, "a");
  await store.clock.advance(300);
  await first.taken;
  first.cut();
  const second = acquire(store, "b");
  await store.clock.advance(14_900);
  expect(store.writes.every(({ by }) => by === "a")).toBe(true);
  await store.clock.advance(1_000);
  await write(await second.taken);
});

test("a daemon that starts again on the home of one that crashed waits for nothing", async () => {
  const store = createNetworkStore();
  const first = acquire(store, "a");
  await store.clock.advance(300);
  await first.taken;
  first.cut();
  const again = acquire(store, "a");
  await store.clock.advance(300);
  await write(await again.taken);
});

test("a copy of a home is another home, and so is one whose place is unknown", async () => {
  for (const place of ["elsewhere", undefined]) {
    const store = createNetworkStore();
    const first = acquire(store, "a", { ...ownerOf("a"), place });
    await store.clock.advance(300);
    await first.taken;
    const copy = { ...ownerOf("a"), place: place && "copy" };
    const second = acquire(store, "a", copy);
    await store.clock.advance(4_000);
    await expect(second.taken).rejects.toMatchObject({ exitCode: 3 });
  }
});

test("a holder that was taken over writes nothing more, and says so", async () => {
  const store = createNetworkStore();
  const first = acquire(store, "a");
  await store.clock.advance(300);
  const lease = await first.taken;
  let lost: unknown;
  void lease.lost.then((error) => (lost = error));
  store.entries.set("kernel:lease", JSON.stringify(ownerOf("b")));
  await store.clock.advance(3_000);
  expect(lost).toMatchObject({ exitCode: 3 });
  await expect(write(lease)).rejects.toThrow(/home \/home\/b/);
  await expect(
    Promise.resolve(lease.driver.removeItem?.("x", {})),
  ).rejects.toThrow();
  await lease.driver.dispose?.();
  expect(store.entries.get("kernel:lease")).toContain("/home/b");
  expect(store.entries.has("x")).toBe(false);
});

test("without a renewal for 10 seconds nothing is written, and again once the store answers", async () => {
  const store = createNetworkStore();
  const first = acquire(store, "a");
  await store.clock.advance(300);
  const lease = await first.taken;
  // The lease cannot be looked at, while a write would succeed.
  store.refuseReads(true);
  await store.clock.advance(9_000);
  await write(lease, "early");
  await store.clock.advance(2_000);
  await expect(write(lease, "late")).rejects.toThrow("No reads now");
  expect(store.entries.has("late")).toBe(false);
  store.refuseReads(false);
  await write(lease, "again");
  expect([...store.entries.keys()]).toContain("again");
});

test("after the machine slept, the lease is looked at before anything is written", async () => {
  const store = createNetworkStore();
  const first = acquire(store, "a");
  await store.clock.advance(300);
  const lease = await first.taken;
  store.clock.jumpWall(store.clock.now() + 8 * 3_600_000);
  store.entries.set("kernel:lease", JSON.stringify(ownerOf("b")));
  await expect(write(lease)).rejects.toThrow(/home \/home\/b/);
});

test("a daemon that is stopped does not wait for a lease", async () => {
  const store = createNetworkStore();
  store.entries.set("kernel:lease", JSON.stringify(ownerOf("dead")));
  const { driver } = store.connect("a");
  const stop = new AbortController();
  const taken = acquireStoreLease({
    driver,
    owner: ownerOf("a"),
    clock: store.clock,
    log,
    signal: stop.signal,
  });
  taken.catch(() => {});
  await store.clock.advance(2_000);
  stop.abort(new Error("Stopping"));
  await expect(taken).rejects.toThrow("Stopping");
  expect(driver.disposed).toBe(true);
  expect(store.clock.pending).toBe(0);
  expect(store.writes).toEqual([]);
});

test("a record that is damaged is waited out like any other", async () => {
  const store = createNetworkStore();
  store.entries.set("kernel:lease", '{"pid":');
  const first = acquire(store, "a");
  await store.clock.advance(14_900);
  expect(store.writes).toEqual([]);
  await store.clock.advance(1_000);
  await write(await first.taken);
});

const contender = fc.record({
  startsAt: fc.nat(40_000),
  /** Crashes after so long, or gives the store back, or stays. */
  end: fc.constantFrom("crash" as const, "release" as const, "stay" as const),
  endsAfter: fc.integer({ min: 0, max: 30_000 }),
});

test("of any daemons that come and go, one at a time writes", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(contender, { minLength: 2, maxLength: 4 }),
      fc.array(fc.nat(100), { minLength: 20, maxLength: 20 }),
      async (contenders, latencies) => {
        let turn = 0;
        const store = createNetworkStore(
          () => latencies[turn++ % latencies.length] ?? 0,
        );
        const { clock } = store;
        contenders.forEach(({ startsAt, end, endsAfter }, index) => {
          const name = `daemon-${index}`;
          clock.after(startsAt, () => {
            const { taken, cut } = acquire(store, name);
            const run = async () => {
              const lease = await taken;
              const stopAt = clock.monotonic() + endsAfter;
              for (;;) {
                if (end !== "stay" && clock.monotonic() >= stopAt) {
                  if (end === "release") await lease.driver.dispose?.();
                  else cut();
                  return;
                }
                await write(lease, "work");
                await clock.sleep(400);
              }
            };
            run().catch(() => {});
          });
        });
        await clock.advance(90_000);
        await settle();
        const writers = store.writes
          .filter(({ key }) => key === "work")
          .map(({ by }) => by);
        const turns = writers.filter((by, index) => by !== writers[index - 1]);
        expect(turns.length).toBe(new Set(turns).size);
        expect(turns.length).toBeGreaterThan(0);
      },
    ),
    { numRuns: runs(40) },
  );
});
