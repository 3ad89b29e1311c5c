import { readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { runs, temporaryFolder } from "@gantry/build/testing";
import { openEngine } from "@gantry/store/engine";
import { createSqliteDriver } from "@gantry/store/sqlite-driver";

const FILES = ["store.sqlite", "store.sqlite-wal"];
/** So many changes that the log is moved into the database. They are of few keys, so that its files stay short. */
const MANY = 4_000;
const changes = (index: number, count: number) =>
  Array.from({ length: count }, (_, number) => {
    const key = `key:${index}:${number % 50}`;
    return { type: "set", key, value: { number } } as const;
  });

/** A disk that keeps of a file only what it had when a flush began that has ended. Flushes end when the test says so. */
function createDisk(folder: string) {
  const read = () =>
    new Map(FILES.map((name) => [name, readFileSync(join(folder, name))]));
  let kept = new Map<string, Buffer>();
  const held: (() => void)[] = [];
  return {
    held,
    start: () => (kept = read()),
    sync: (descriptor: number) =>
      new Promise<void>((resolve) => {
        const name = basename(readlinkSync(`/proc/self/fd/${descriptor}`));
        const content = readFileSync(join(folder, name));
        held.push(() => {
          kept.set(name, content);
          resolve();
        });
      }),
    /** What a power failure leaves: of each file what was flushed, or what was written. */
    *outcomes() {
      const written = read();
      for (const database of [kept, written])
        for (const log of [kept, written])
          yield [database.get(FILES[0]!)!, log.get(FILES[1]!)!] as const;
    },
  };
}

/** Keys that a store has after a start on these files. */
async function keysIn(contents: readonly Buffer[]): Promise<string[]> {
  const folder = await temporaryFolder();
  for (const [index, content] of contents.entries())
    writeFileSync(join(folder, FILES[index]!), content);
  const engine = openEngine(createSqliteDriver(join(folder, FILES[0]!)));
  const keys = await engine.keys("");
  await engine.close();
  return keys;
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++)
    await new Promise((resolve) => setImmediate(resolve));
}

const step = fc.oneof(
  { weight: 3, arbitrary: fc.constant("few" as const) },
  { weight: 2, arbitrary: fc.constant("many" as const) },
  { weight: 8, arbitrary: fc.nat({ max: 2 }) },
);

test("whatever a power failure takes that was not flushed, what was acknowledged is there", async () => {
  const steps = fc.array(step, { minLength: 8, maxLength: 24 });
  await fc.assert(
    fc.asyncProperty(steps, async (order) => {
      const folder = await temporaryFolder();
      const disk = createDisk(folder);
      const file = join(folder, FILES[0]!);
      const engine = openEngine(createSqliteDriver(file, disk.sync));
      disk.start();
      const acknowledged: string[] = [];
      for (const [index, next] of order.entries()) {
        if (typeof next === "number") {
          // Flushes of two files end in any order.
          disk.held.splice(next % Math.max(1, disk.held.length), 1)[0]?.();
        } else {
          const written = changes(index, next === "few" ? 1 : MANY);
          void engine
            .commit(written)
            .then(() => acknowledged.push(written[0]!.key));
        }
        await turns();
      }
      const known = [...acknowledged];
      for (const outcome of disk.outcomes())
        expect(await keysIn(outcome)).toEqual(expect.arrayContaining(known));
      let isClosed = false;
      void engine.close().then(() => (isClosed = true));
      for (; !isClosed; await turns()) disk.held.shift()?.();
    }),
    { numRuns: runs(25) },
  );
});
