import { cpSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { temporaryFolder } from "@gantry/build/testing";
import { describe, expect, test } from "vitest";
import { openEngine } from "@gantry/store/engine";
import type { Engine } from "@gantry/store/engine";
import type { RewriteWork, TextOperation } from "@gantry/store/range-driver";
import type { SyncFile } from "@gantry/store/log-flusher";
import { createSqliteDriver } from "@gantry/store/sqlite-driver";
import { driverKinds } from "./support/drivers.ts";

const set = (key: string, value: object = {}): TextOperation => ({
  type: "set",
  key,
  value: JSON.stringify(value),
});
const OLD = [set("a:1", { is: "old" }), set("a:2", { is: "old" })];

/** Takes one entry away, changes one and adds one, in parts. */
const change: RewriteWork = async (write) => {
  await write([{ type: "remove", key: "a:1" }]);
  await write([]);
  await write([set("a:2", { is: "new" }), set("a:3")]);
  await write([{ type: "set", key: "a:1", value: '{"is":"back"}' }]);
};
const BEFORE = '{"a:1":{"is":"old"},"a:2":{"is":"old"}}';
const AFTER = '{"a:1":{"is":"back"},"a:2":{"is":"new"},"a:3":{}}';

async function contentOf(engine: Engine, prefix = ""): Promise<string> {
  const keys = await engine.keys(prefix);
  const values = await engine.getMany(keys);
  return JSON.stringify(
    Object.fromEntries(keys.map((key, at) => [key, values[at]])),
  );
}

describe.each(driverKinds)("a rewrite of the store on $name", ({ open }) => {
  async function start() {
    const folder = await temporaryFolder();
    const engine = await open(folder);
    await engine.commit(OLD);
    return { engine, folder };
  }

  test("is read when it is over, also by the next start, and what is written meanwhile comes after it", async () => {
    const { engine, folder } = await start();
    let isWritten = false;
    let late: Promise<void> | undefined;
    await engine.rewrite(async (write) => {
      await change(write);
      late = engine
        .commit([set("a:2", { is: "later" })])
        .then(() => void (isWritten = true));
      expect(await engine.get("a:2")).toEqual({ is: "old" });
      expect(await engine.getMany(["a:1", "a:3"])).toEqual([
        { is: "old" },
        undefined,
      ]);
      expect(isWritten).toBe(false);
    });
    await late;
    const expected = AFTER.replace("new", "later");
    expect(await contentOf(engine)).toBe(expected);
    await engine.close();
    const again = await open(folder);
    expect(await contentOf(again)).toBe(expected);
    await again.close();
  });

  test("leaves nothing if its work fails, and the store is written as before", async () => {
    const { engine } = await start();
    const work: RewriteWork = async (write) => {
      await change(write);
      throw new TypeError("It does not fit.");
    };
    await expect(engine.rewrite(work)).rejects.toThrow(TypeError);
    expect(await contentOf(engine)).toBe(BEFORE);
    await engine.rewrite(change);
    expect(await contentOf(engine)).toBe(AFTER);
    await engine.close();
  });

  test("is made one after the other", async () => {
    const { engine } = await start();
    const count: RewriteWork = async (write) => {
      const { n = 0 } = ((await engine.get("b:1")) ?? {}) as { n?: number };
      await write([set("b:1", { n: n + 1 })]);
    };
    await Promise.all(Array.from({ length: 5 }, () => engine.rewrite(count)));
    expect(await engine.get("b:1")).toEqual({ n: 5 });
    await engine.close();
  });
});

describe("a rewrite of the database", () => {
  async function start(sync?: SyncFile) {
    const file = join(await temporaryFolder(), "store.sqlite");
    const driver = createSqliteDriver(file, sync);
    const database = driver.getInstance?.() as DatabaseSync;
    const engine = openEngine(driver);
    await engine.commit(OLD);
    return { file, engine, database };
  }

  /** What would be found if the process was killed now. */
  async function contentAfterKill(file: string): Promise<string> {
    const copy = await temporaryFolder();
    cpSync(dirname(file), copy, { recursive: true });
    const engine = openEngine(createSqliteDriver(join(copy, "store.sqlite")));
    try {
      return await contentOf(engine);
    } finally {
      await engine.close();
    }
  }

  test("that is killed leaves nothing before its end, and all of it after", async () => {
    const { file, engine } = await start();
    await engine.rewrite(async (write) => {
      await change(write);
      // More than SQLite holds in memory.
      const text = "x".repeat(1_000_000);
      for (let n = 0; n < 8; n++) await write([set(`b:${n}`, { text })]);
      expect((await stat(`${file}-wal`)).size).toBeGreaterThan(4_000_000);
      expect(await contentAfterKill(file)).toBe(BEFORE);
      for (let n = 0; n < 8; n++)
        await write([{ type: "remove", key: `b:${n}` }]);
    });
    expect(await contentAfterKill(file)).toBe(AFTER);
    await engine.close();
  });

  test("that cannot be flushed is neither written nor not until the next start, and nothing follows it", async () => {
    let isGone = false;
    const { file, engine } = await start(() =>
      isGone
        ? Promise.reject(new Error("The disk is gone."))
        : Promise.resolve(),
    );
    isGone = true;
    await expect(engine.rewrite(change)).rejects.toMatchObject({
      code: "STORE_UNSETTLED",
    });
    expect(await contentOf(engine)).toBe(BEFORE);
    const refused = [() => engine.commit(OLD), () => engine.rewrite(change)];
    for (const write of refused)
      await expect(write()).rejects.toMatchObject({
        code: "STORAGE_UNAVAILABLE",
      });
    await engine.close();
    const again = openEngine(createSqliteDriver(file));
    expect(await contentOf(again)).toBe(AFTER);
    await again.close();
  });

  test("for which there is no room is taken back, and the log takes none any more", async () => {
    const { file, engine, database } = await start();
    database.exec("PRAGMA max_page_count = 10000");
    const text = "x".repeat(1_000_000);
    const fill: RewriteWork = async (write) => {
      for (let n = 0; n < 50; n++) await write([set(`b:${n}`, { text })]);
    };
    await expect(engine.rewrite(fill)).rejects.toMatchObject({
      code: "STORAGE_FULL",
    });
    expect(await contentOf(engine)).toBe(BEFORE);
    await expect.poll(async () => (await stat(`${file}-wal`)).size).toBe(0);
    await engine.rewrite(change);
    expect(await contentOf(engine)).toBe(AFTER);
    await engine.close();
  });

  test("is not made once the database is closed", async () => {
    const { engine } = await start();
    await engine.close();
    await expect(engine.rewrite(change)).rejects.toMatchObject({
      code: "STORAGE_UNAVAILABLE",
    });
  });
});
