import { readlinkSync } from "node:fs";
import { stat, truncate } from "node:fs/promises";
import { basename, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { expect, test, vi } from "vitest";
import type { StoreOperation } from "@gantry/plugin";
import { openEngine } from "@gantry/store/engine";
import type { SyncFile } from "@gantry/store/log-flusher";
import { createSqliteDriver } from "@gantry/store/sqlite-driver";
import { temporaryFolder } from "@gantry/build/testing";

const set = (key: string, value: object = {}): StoreOperation => ({
  type: "set",
  key,
  value,
});

async function start(sync?: SyncFile) {
  const file = join(await temporaryFolder(), "store.sqlite");
  const driver = createSqliteDriver(file, sync);
  const database = driver.getInstance?.() as DatabaseSync;
  return { file, driver, database, engine: await openEngine(driver) };
}

/** Time for all that waits for nothing but its turn. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++)
    await new Promise((resolve) => setImmediate(resolve));
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

/** Flushes that wait for the test, by the file that they are for. */
function holdFlushes() {
  const held: { file: string; end: (error?: Error) => void }[] = [];
  const sync = (descriptor: number) =>
    new Promise<void>((resolve, reject) => {
      const file = basename(readlinkSync(`/proc/self/fd/${descriptor}`));
      const end = (error?: Error) => (error ? reject(error) : resolve());
      held.push({ file, end });
    });
  const next = async (file: string) => {
    await vi.waitFor(() => expect(held.length).toBeGreaterThan(0));
    const flush = held.shift()!;
    expect(flush.file).toBe(file);
    return flush.end;
  };
  return { held, sync, next };
}

/** So much that the log is moved into the database. */
const MUCH = { text: "x".repeat(20_000_000) };

test("a commit is acknowledged when its log is on disk, and what comes meanwhile is the next transaction", async () => {
  const { held, sync, next } = holdFlushes();
  const { engine, database } = await start(sync);
  const done: string[] = [];
  const commit = async (key: string) => {
    await engine.commit([set(key)]);
    done.push(key);
  };
  const all = [commit("a")];
  const first = await next("store.sqlite-wal");
  const frames = framesOf(database);
  all.push(commit("b"), commit("c"));
  await turns();
  expect({ done, held, frames: framesOf(database) }).toEqual({
    done: [],
    held: [],
    frames,
  });
  first();
  const second = await next("store.sqlite-wal");
  expect({ done, frames: framesOf(database) - frames }).toEqual({
    done: ["a"],
    frames: 1,
  });
  second();
  await Promise.all(all);
  expect(done).toEqual(["a", "b", "c"]);
});

test("the log starts over only when what was in it is on disk in the database, and more is written meanwhile", async () => {
  const { held, sync, next } = holdFlushes();
  const { engine, database } = await start(sync);
  const commit = async (key: string) => {
    const written = engine.commit([set(key)]);
    (await next("store.sqlite-wal"))();
    await written;
  };
  const large = engine.commit([set("large", MUCH)]);
  (await next("store.sqlite-wal"))();
  await large;
  const moved = await next("store.sqlite");
  const frames = framesOf(database);
  await commit("meanwhile");
  expect(framesOf(database)).toBeGreaterThan(frames);
  moved();
  const movedRest = await next("store.sqlite");
  const after = engine.commit([set("after")]);
  await turns();
  expect({ held, frames: framesOf(database) }).toEqual({
    held: [],
    frames: frames + 1,
  });
  movedRest();
  (await next("store.sqlite-wal"))();
  await after;
  expect(framesOf(database)).toBeLessThan(10);
  expect(database.prepare("PRAGMA synchronous").get()).toEqual({
    synchronous: 1,
  });
});

for (const failing of ["store.sqlite-wal", "store.sqlite"]) {
  test(`after a flush of ${failing} that failed nothing is written any more, and what was acknowledged is found in the log`, async () => {
    const { sync, next } = holdFlushes();
    const { engine, file } = await start(sync);
    const large = engine.commit([set("large", MUCH)]);
    const isLog = failing.endsWith("-wal");
    const fault = Object.assign(new Error("The disk is gone."), {
      code: "EIO",
    });
    if (!isLog) (await next("store.sqlite-wal"))();
    (await next(failing))(fault);
    const late = engine.commit([set("late")]);
    const results = await Promise.allSettled([large, late]);
    expect(results.map(({ status }) => status)).toEqual([
      isLog ? "rejected" : "fulfilled",
      "rejected",
    ]);
    await expect(late).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
    await engine.close();
    expect((await stat(`${file}-wal`)).size).toBeGreaterThan(20_000_000);
    // Whatever the database lost, the log has it.
    await truncate(file, 4096);
    const again = await openEngine(createSqliteDriver(file));
    expect(await again.keys("")).toEqual(["large"]);
    expect(await again.get("large")).toEqual(MUCH);
    await again.close();
  });
}

test("reads see what is on disk: not what is on its way there, nor what never arrived", async () => {
  const { held, sync, next } = holdFlushes();
  const { engine, database } = await start(sync);
  const first = engine.commit([set("kept", { n: 1 }), set("gone")]);
  (await next("store.sqlite-wal"))();
  await first;
  const refused = engine.commit([
    set("kept", { n: 2 }),
    { type: "remove", key: "gone" },
    set("new"),
  ]);
  const fail = await next("store.sqlite-wal");
  const expectOld = async () => {
    expect(await engine.get("kept")).toEqual({ n: 1 });
    expect(await engine.getMany(["new", "kept"])).toEqual([
      undefined,
      { n: 1 },
    ]);
    expect(await engine.keys("")).toEqual(["gone", "kept"]);
  };
  await expectOld();
  fail(Object.assign(new Error("The disk is gone."), { code: "EIO" }));
  await expect(refused).rejects.toMatchObject({ code: "STORAGE_UNAVAILABLE" });
  await expectOld();
  expect(held).toEqual([]);
  // It is in the database all the same, which is why nothing is read from there.
  expect(database.prepare("SELECT count(*) AS n FROM entries").get()).toEqual({
    n: 2,
  });
  await engine.close();
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
