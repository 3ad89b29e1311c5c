import { existsSync, readFileSync } from "node:fs";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startTestKernel } from "../../../testing/src/index.ts";
import { startProbe } from "../support/probe.ts";
import { fillHome, openSmallHome } from "../support/small-home.ts";
import { temporaryFolder } from "@gantry/build/testing";
import { makeStage, replaceWith } from "../support/whole-home.ts";

/** Of a database. */
const PAGE_BYTES = 4096;

test("a replacement is not brought to its end on another store than it was begun on", async () => {
  const home = await temporaryFolder();
  const kernel = await startTestKernel([], { home });
  const { restore } = kernel.kernel.foundation;
  await restore.make();
  await restore.writePending({
    format: 2,
    stage: "begun",
    mode: "replace",
    keepsSessions: true,
    isInHome: true,
    plugin: "lists",
    note: {},
  });
  await kernel.stop();
  const storage = {
    driver: "unstorage/drivers/fs-lite",
    options: { base: await temporaryFolder() },
  };
  await expect(
    startTestKernel([], { home, config: { storage } }),
  ).rejects.toMatchObject({ exitCode: 4 });
});

test("a replacement that another version began keeps the daemon from starting, and stays as it is", async () => {
  const home = await temporaryFolder();
  const kernel = await startTestKernel([], { home });
  await kernel.kernel.foundation.restore.make();
  await kernel.stop();
  const file = join(home, "restore", "replacement.json");
  for (const content of ['{"format":3}', "cut sho"]) {
    await writeFile(file, content);
    await expect(startTestKernel([], { home })).rejects.toMatchObject({
      exitCode: 4,
    });
    expect(await readFile(file, "utf8")).toBe(content);
  }
});

test("a staged store that cannot be read leaves the home as it was, and tells why", async () => {
  const home = await temporaryFolder();
  const before = await startProbe({ id: "lists" }, { home });
  await before.ctx.store.set("a", { is: "old" });
  const stage = await makeStage(before.ctx.wholeHome, {
    store: { lists: [] },
    files: { "data/lists/a.txt": "new" },
  });
  // It is handed in and damaged before the daemon that asked has stopped.
  before.ctx.own(() =>
    writeFile(join(stage, "store", "lists.ndjson"), "This is no line."),
  );
  before.expectFault(/could not be replaced/);
  const replaced = before.replaced();
  await before.ctx.wholeHome.replace({
    stage,
    mode: "replace",
    keepsSessions: false,
    note: { of: "a test" },
  });
  await replaced;
  expect(await before.ctx.store.get("a")).toEqual({ is: "old" });
  expect((await before.api.get("/api/system")).status).toBe(200);
  expect(await before.ctx.wholeHome.lastReplacement()).toMatchObject({
    failure: expect.stringContaining("lists.ndjson, line 1") as string,
    note: { of: "a test" },
  });
  await before.stop();
});

test("a store that is damaged is replaced, though nothing can be kept of it", async () => {
  const folder = await temporaryFolder();
  const home = openSmallHome(folder, "in the home");
  await home.withWholeHome(async (wholeHome, engine) => {
    await fillHome(folder, engine, { "auth:session:ses_1": "{}" });
    const lists = [{ key: "lists:a", text: '{"is":"new"}' }];
    await replaceWith(wholeHome, { store: { lists } });
  });
  const database = join(folder, "store.sqlite");
  for (const suffix of ["-wal", "-shm"])
    await rm(database + suffix, { force: true });
  await writeFile(database, "This is no database. ".repeat(999));
  expect(await home.finish()).toMatchObject({ failure: null });
  expect(await home.read()).toEqual({ "lists:a": '{"is":"new"}' });
  expect(home.faults).toEqual(["Nothing could be kept of the old store"]);
});

test("of a store that is damaged in a part, what is kept can still be read from the others", async () => {
  const folder = await temporaryFolder();
  const home = openSmallHome(folder, "in the home");
  const kept = {
    "auth:session:ses_1": "{}",
    "kernel:idempotency:x": "{}",
    "lists:@machine:a": '{"is":"here"}',
  };
  const lists = [{ key: "lists:a", text: '{"is":"new"}' }];
  await home.withWholeHome(async (wholeHome, engine) => {
    const many = Array.from({ length: 2000 }, (_, n) => [
      `lists:old:${1000 + n}`,
      '{"is":"old"}',
    ]);
    const event = { "kernel:event:0000000000000007": "{}" };
    await fillHome(folder, engine, {
      ...{ ...kept, ...event },
      ...(Object.fromEntries(many) as Record<string, string>),
    });
    await replaceWith(wholeHome, { store: { lists } });
  });
  const database = join(folder, "store.sqlite");
  const content = await readFile(database);
  const at = content.indexOf("lists:old:2000");
  content.fill(
    0xff,
    at - (at % PAGE_BYTES),
    at - (at % PAGE_BYTES) + PAGE_BYTES,
  );
  await writeFile(database, content);
  expect(await home.finish()).toMatchObject({ failure: null });
  expect(await home.read()).toEqual({ ...kept, "lists:a": '{"is":"new"}' });
  expect(home.faults).toEqual([]);
  const aside = await readdir(join(folder, "restore"), { recursive: true });
  expect(aside.filter((name) => name.endsWith("store.sqlite"))).toHaveLength(1);
  await home.withEngine(async (engine) =>
    expect(await engine.get("kernel:event-floor")).toMatchObject({ after: 8 }),
  );
});

test("a merge into a store that is damaged meanwhile is given up, and a whole copy can take its place", async () => {
  const folder = await temporaryFolder();
  const home = openSmallHome(folder, "in the home");
  const lists = [{ key: "lists:a", text: '{"is":"new"}' }];
  await home.withWholeHome(async (wholeHome) => {
    const staged = { store: { lists }, files: { "data/lists/a.txt": "new" } };
    await replaceWith(wholeHome, staged, { mode: "merge" });
  });
  const garbage = "This is no database. ".repeat(999);
  await writeFile(join(folder, "store.sqlite"), garbage);
  expect(await home.finish()).toMatchObject({
    mode: "merge",
    failure: expect.stringContaining("not a database") as string,
  });
  expect(await home.finish()).toBeUndefined();
  expect(await readFile(join(folder, "store.sqlite"), "utf8")).toBe(garbage);
});

test.each(["in the home", "outside"] as const)(
  "where it is not known whether a store %s was written, the next start tells, and continues",
  async (place) => {
    const folder = await temporaryFolder();
    const token = join(folder, "token");
    await openSmallHome(folder, place).withWholeHome(
      async (wholeHome, engine) => {
        await fillHome(folder, engine, {
          "lists:a": '{"is":"old"}',
          token: "old",
        });
        const lists = [{ key: "lists:a", text: '{"is":"new"}' }];
        await replaceWith(wholeHome, {
          store: { lists },
          files: { token: "new" },
        });
      },
    );
    const failing = openSmallHome(folder, place, () => {
      // Once all is in its place, nothing but the end of the rewrite is left.
      if (readFileSync(token, "utf8") === "new")
        throw new Error("The disk is gone.");
    });
    await expect(failing.finish()).rejects.toMatchObject({
      code: "STORE_UNSETTLED",
    });
    const pending = join(folder, "restore", "replacement.json");
    const isPendingAtWrite: boolean[] = [];
    const home = openSmallHome(folder, place, () =>
      isPendingAtWrite.push(existsSync(pending)),
    );
    expect(await home.finish()).toMatchObject({ failure: null });
    // What is found may lie in the memory of the system only, and is flushed as long as the next start would continue.
    expect(isPendingAtWrite).toContain(true);
    expect(await home.read()).toEqual({
      "lists:a": '{"is":"new"}',
      token: "new",
    });
  },
);

test("a replacement whose stage is gone keeps the daemon from starting, and says what to do", async () => {
  const folder = await temporaryFolder();
  const home = openSmallHome(folder, "in the home");
  await home.withWholeHome((wholeHome) =>
    replaceWith(wholeHome, { store: {} }),
  );
  const [stage] = (await readdir(join(folder, "restore"))).filter(
    (name) => !name.includes("."),
  );
  await rm(join(folder, "restore", stage!), { recursive: true });
  await expect(home.finish()).rejects.toMatchObject({
    exitCode: 4,
    message: expect.stringContaining("Move the folder") as string,
  });
});
