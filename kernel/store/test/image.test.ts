import { readlinkSync } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, join } from "node:path";
import fc from "fast-check";
import { runs, temporaryFolder } from "@gantry/build/testing";
import { describe, expect, test } from "vitest";
import type { StoreOperation } from "@gantry/plugin";
import { openEngine } from "@gantry/store/engine";
import type { Engine } from "@gantry/store/engine";
import { readImagePages } from "@gantry/store/scan-pages";
import type { RangeImage } from "@gantry/store/range-driver";
import { keyRange } from "@gantry/store/key-range";
import { createSqliteDriver } from "@gantry/store/sqlite-driver";
import { driverKinds } from "./support/drivers.ts";

const MIB = 1024 * 1024;
const ALL = keyRange("");
const FIRST = { ...ALL, limit: 1, reverse: false };

const set = (key: string, value: object): StoreOperation => ({
  type: "set",
  key,
  value,
});

/** All that is in an image, read so many entries at a time. */
async function readAll(
  image: RangeImage,
  limit?: number,
  between: () => Promise<unknown> = () => Promise.resolve(),
): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const page of readImagePages(image, ALL, limit)) {
    for (const { key, text } of page) found[key] = text;
    await between();
  }
  return found;
}

/** What a store has now. */
async function contentOf(engine: Engine): Promise<Record<string, string>> {
  const keys = await engine.keys("");
  const values = await engine.getMany(keys);
  return Object.fromEntries(
    keys.map((key, at) => [key, JSON.stringify(values[at])]),
  );
}

const key = fc.constantFrom("a:1", "a:2", "a-b:1", "b:1", "b:2", "c:1", "d:1");
const operation: fc.Arbitrary<StoreOperation> = fc.oneof(
  fc.record({
    type: fc.constant("set" as const),
    key,
    value: fc.record({ n: fc.nat() }),
  }),
  fc.record({ type: fc.constant("remove" as const), key }),
);
const batches = fc.array(fc.array(operation, { minLength: 1, maxLength: 3 }), {
  maxLength: 12,
});

for (const { name, open } of driverKinds)
  describe(`an image of ${name}`, () => {
    test("has what was there when it was opened, whatever is written while it is read", async () => {
      await fc.assert(
        fc.asyncProperty(
          batches,
          batches,
          fc.integer({ min: 1, max: 3 }),
          async (before, meanwhile, limit) => {
            const engine = await open(await temporaryFolder());
            for (const each of before) await engine.commit(each);
            const expected = await contentOf(engine);
            const image = await engine.openImage();
            const found = await readAll(image, limit, async () => {
              const next = meanwhile.shift();
              if (next) await engine.commit(next);
            });
            expect(found).toEqual(expected);
            await image.close();
            await engine.close();
          },
        ),
        { numRuns: runs(60) },
      );
    });

    test("has all of a batch or nothing of it while many are written", async () => {
      const engine = await open(await temporaryFolder());
      const pair = (n: number) => [
        set(`one:${n % 7}`, { n }),
        set(`two:${n % 7}`, { n }),
      ];
      await engine.commit(pair(0));
      let isOver = false;
      const write = async (writer: number) => {
        for (let n = writer; !isOver; n += 3) {
          await engine.commit(pair(n));
          // A memory never waits for anything else.
          await new Promise((resolve) => setImmediate(resolve));
        }
      };
      const writers = [write(1), write(2), write(3)];
      for (let round = 0; round < 40; round++) {
        const image = await engine.openImage();
        const found = await readAll(image, 2);
        await image.close();
        for (let n = 0; n < 7; n++)
          expect(found[`one:${n}`]).toBe(found[`two:${n}`]);
      }
      isOver = true;
      await Promise.all(writers);
      await engine.close();
    });

    test("gives damaged values as they are", async () => {
      const engine = await open(await temporaryFolder());
      await engine.commit([{ type: "set", key: "a:1", value: '{"cut' }]);
      const image = await engine.openImage();
      expect(await readAll(image)).toEqual({ "a:1": '{"cut' });
      await engine.close();
    });

    test("can be read until it is closed", async () => {
      const engine = await open(await temporaryFolder());
      await engine.commit([set("a:1", {})]);
      const image = await engine.openImage();
      expect(await image.readRange(FIRST)).toHaveLength(1);
      await image.close();
      await image.close();
      await expect(image.readRange(FIRST)).rejects.toMatchObject({
        code: "STORAGE_UNAVAILABLE",
      });
      await engine.close();
    });
  });

describe("an image of the database", () => {
  const start = async (sync?: (descriptor: number) => Promise<void>) => {
    const file = join(await temporaryFolder(), "store.sqlite");
    return { file, engine: await openEngine(createSqliteDriver(file, sync)) };
  };

  test("has nothing that is not on disk yet", async () => {
    const flushes: ((error?: Error) => void)[] = [];
    const { engine } = await start((descriptor) => {
      const file = basename(readlinkSync(`/proc/self/fd/${descriptor}`));
      if (file !== "store.sqlite-wal") return Promise.resolve();
      return new Promise((resolve, reject) =>
        flushes.push((error) => (error ? reject(error) : resolve())),
      );
    });
    const flush = async (error?: Error) => {
      await expect.poll(() => flushes.length).toBe(1);
      flushes.shift()?.(error);
    };
    const first = engine.commit([set("a:1", {})]);
    await expect.poll(() => flushes.length).toBe(1);
    let isOpen = false;
    const opening = engine.openImage().then((image) => {
      isOpen = true;
      return image;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isOpen).toBe(false);
    await flush();
    await first;
    expect(Object.keys(await readAll(await opening))).toEqual(["a:1"]);
    const failing = engine.commit([set("a:2", {})]);
    failing.catch(() => {});
    await expect.poll(() => flushes.length).toBe(1);
    const refused = engine.openImage();
    await flush(new Error("The disk is gone."));
    await expect(failing).rejects.toThrow();
    await expect(refused).rejects.toMatchObject({
      code: "STORAGE_UNAVAILABLE",
    });
    await engine.close();
  });

  test("lets the log grow, which is short again once it is closed", async () => {
    const { file, engine } = await start();
    const write = async () => {
      for (let n = 0; n < 48; n++) {
        // What is the same as before is not written again.
        const text = String.fromCharCode(48 + n).repeat(MIB);
        await engine.commit([set("a:1", { text })]);
      }
    };
    const logSize = async () => (await stat(`${file}-wal`)).size;
    const image = await engine.openImage();
    await write();
    expect(await logSize()).toBeGreaterThan(48 * MIB);
    await image.close();
    await expect.poll(logSize).toBe(0);
    await engine.commit([set("a:2", {})]);
    expect(Object.keys(await contentOf(engine))).toEqual(["a:1", "a:2"]);
    await engine.close();
  });

  test("ends with the store", async () => {
    const { engine } = await start();
    const image = await engine.openImage();
    await engine.close();
    await expect(image.readRange(FIRST)).rejects.toMatchObject({
      code: "STORAGE_UNAVAILABLE",
    });
    await expect(engine.openImage()).rejects.toMatchObject({
      code: "STORAGE_UNAVAILABLE",
    });
  });
});

test("an image for which too much would have to be kept aside ends, and the writes continue", async () => {
  const memory = driverKinds.find(({ name }) => name === "memory")!;
  const engine = await memory.open(await temporaryFolder());
  const text = "x".repeat(MIB);
  for (let n = 0; n < 40; n++) await engine.commit([set(`a:${n}`, { text })]);
  const image = await engine.openImage();
  for (let n = 0; n < 40; n++) await engine.commit([set(`a:${n}`, {})]);
  await expect(image.readRange(FIRST)).rejects.toMatchObject({
    code: "STORAGE_UNAVAILABLE",
  });
  expect(await engine.get("a:39")).toEqual({});
  await engine.close();
});
