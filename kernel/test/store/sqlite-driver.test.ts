import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { StoreOperation } from "@gantry/plugin";
import { openEngine } from "../../src/store/engine.ts";
import { createSqliteDriver } from "../../src/store/sqlite-driver.ts";
import { temporaryFolder } from "../support/temporary.ts";

const set = (key: string, value: object = {}): StoreOperation => ({
  type: "set",
  key,
  value,
});

async function start() {
  const file = join(await temporaryFolder(), "store.sqlite");
  const driver = createSqliteDriver(file);
  const database = driver.getInstance?.() as DatabaseSync;
  return { file, driver, database, engine: await openEngine(driver) };
}

function framesOf(database: DatabaseSync): number {
  const { log } = database.prepare("PRAGMA wal_checkpoint(NOOP)").get() as {
    log: number;
  };
  return log;
}

test("the files are for their user alone", async () => {
  const { file, engine } = await start();
  await engine.commit([set("a")]);
  for (const name of [file, `${file}-wal`, `${file}-shm`])
    expect((await stat(name)).mode & 0o777, name).toBe(0o600);
});

test("a commit is flushed to disk before it is acknowledged", async () => {
  const { database } = await start();
  const pragma = (name: string) => database.prepare(`PRAGMA ${name}`).get();
  expect(pragma("journal_mode")).toMatchObject({ journal_mode: "wal" });
  expect(pragma("synchronous")).toMatchObject({ synchronous: 2 });
});

test("what is written within one turn is one transaction", async () => {
  const { database, engine } = await start();
  await engine.commit([set("first")]);
  const before = framesOf(database);
  await Promise.all(
    Array.from({ length: 200 }, () => engine.commit([set("same")])),
  );
  // Each transaction appends the page that it changed to the log.
  expect(framesOf(database) - before).toBe(1);
});

test("a batch with a part that does not fit is left out whole, and hurts no other in its group", async () => {
  const { driver, engine } = await start();
  const wire = (key: string) => ({ type: "set", key, value: "{}" }) as const;
  const results = await Promise.allSettled([
    driver.commit([wire("a:1")]),
    driver.commit([wire("b:1"), { ...wire("b:2"), value: undefined as never }]),
    driver.commit([wire("c:1")]),
  ]);
  expect(results.map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "fulfilled",
  ]);
  expect(await engine.keys("")).toEqual(["a:1", "c:1"]);
});

test("a full disk refuses what is new, keeps what is there, and recovers", async () => {
  const { database, engine } = await start();
  await engine.commit([set("old", { text: "kept" })]);
  const { page_count: pages } = database.prepare("PRAGMA page_count").get() as {
    page_count: number;
  };
  database.exec(`PRAGMA max_page_count = ${pages + 2}`);
  const big = { text: "x".repeat(100_000) };
  await expect(
    engine.commit([set("old", { text: "lost" }), set("new", big)]),
  ).rejects.toMatchObject({ code: "STORAGE_FULL", status: 507 });
  expect(await engine.get("old")).toEqual({ text: "kept" });
  expect(await engine.keys("")).toEqual(["old"]);
  await engine.commit([{ type: "remove", key: "old" }]);
  database.exec("PRAGMA max_page_count = 1000000");
  await engine.commit([set("new", big)]);
  expect(await engine.get("new")).toEqual(big);
});

test("any other fault of the storage is told as one, without its words", async () => {
  const { database, engine } = await start();
  database.exec("PRAGMA query_only = ON");
  await expect(engine.commit([set("a")])).rejects.toMatchObject({
    code: "STORAGE_UNAVAILABLE",
    status: 503,
    message: expect.not.stringMatching(/readonly|sqlite/i) as string,
  });
});

test("closing writes what is still to be written, and nothing after it", async () => {
  const { file, engine } = await start();
  const last = engine.commit([set("last")]);
  await engine.close();
  await last;
  await expect(engine.commit([set("late")])).rejects.toMatchObject({
    code: "STORAGE_UNAVAILABLE",
  });
  const again = await openEngine(createSqliteDriver(file));
  expect(await again.keys("")).toEqual(["last"]);
  await again.close();
});
