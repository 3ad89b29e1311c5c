import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MACHINE_PREFIX } from "@gantry/plugin";
import type { PluginContext } from "@gantry/plugin";
import { okAnswer } from "@gantry/plugin/zod";
import { readEventStream } from "../../../testing/src/index.ts";
import { auditEntries } from "../../../system/test/support/audit.ts";
import { whoAmI } from "../support/auth.ts";
import { startProbe } from "../support/probe.ts";
import { makeStage, readHome, replaceWith } from "../support/whole-home.ts";

const recordsOf = async ({ store }: PluginContext) =>
  (await store.list("")).items;

test("what is staged takes the place of what is there, under the same address", async () => {
  await using kernel = await startProbe({ id: "lists" });
  const { url, kernel: first } = kernel;
  await kernel.ctx.store.set("a", { is: "old" });
  await writeFile(join(await kernel.ctx.folder(), "file.txt"), "old");
  const store = await readHome(kernel.ctx.wholeHome);
  await kernel.ctx.store.batch([
    { type: "set", key: "a", value: { is: "new" } },
    { type: "set", key: "b", value: { is: "new" } },
  ]);
  await writeFile(join(await kernel.ctx.folder(), "more.txt"), "new");
  const replaced = kernel.replaced();
  await replaceWith(kernel.ctx.wholeHome, {
    store,
    files: { "data/lists/file.txt": "old", token: "brought\n" },
  });
  await replaced;
  expect(kernel.kernel).not.toBe(first);
  expect(kernel.url).toBe(url);
  expect(await recordsOf(kernel.ctx)).toEqual([
    { key: "a", value: { is: "old" } },
  ]);
  const folder = await kernel.ctx.folder();
  expect(await readdir(folder)).toEqual(["file.txt"]);
  expect(await readFile(join(folder, "file.txt"), "utf8")).toBe("old");
  const authorization = "Bearer brought";
  expect((await whoAmI(kernel, { authorization })).status).toBe(200);
  expect(await kernel.ctx.wholeHome.lastReplacement()).toEqual({
    at: kernel.clock.timestamp(),
    mode: "replace",
    note: { of: "a test" },
    failure: null,
  });
  for (const path of ["token", "data/lists"])
    expect((await stat(join(kernel.home, path))).mode & 0o077, path).toBe(0);
  await expect
    .poll(() => readdir(join(kernel.home, "restore")))
    .toEqual(["result.json"]);
  const written = await auditEntries(join(kernel.home, "audit"));
  expect(
    written.filter(({ action }) => action.startsWith("home.")),
  ).toMatchObject([
    {
      action: "home.replacement-begun",
      details: { plugin: "lists", mode: "replace" },
    },
    {
      action: "home.replaced",
      details: { note: '{"of":"a test"}', failure: null },
    },
  ]);
});

test("the request that asks for it is answered, and those that come meanwhile find the new state", async () => {
  await using kernel = await startProbe({
    id: "lists",
    setup(ctx) {
      ctx.route({
        method: "POST",
        path: "/api/lists/restore",
        summary: "Restores",
        access: "session",
        returns: okAnswer,
        async handle() {
          await replaceWith(ctx.wholeHome, { store: {} });
          return { ok: true };
        },
      });
      ctx.route({
        method: "GET",
        path: "/api/lists/count",
        summary: "Counts",
        access: "session",
        returns: okAnswer.extend({}).loose(),
        handle: async () => ({
          ok: true as const,
          count: (await ctx.store.keys("")).length,
        }),
      });
    },
  });
  await kernel.ctx.store.set("a", {});
  expect((await kernel.api.get("/api/lists/count")).body).toMatchObject({
    count: 1,
  });
  const { status } = await kernel.api.post("/api/lists/restore");
  expect(status).toBe(200);
  const counts = await Promise.all(
    Array.from({ length: 5 }, () => kernel.api.get("/api/lists/count")),
  );
  for (const { status, body } of counts) {
    expect(status).toBe(200);
    expect(body).toMatchObject({ count: 0 });
  }
});

test("a client that comes back with a position of before starts over, and no number is given twice", async () => {
  await using kernel = await startProbe();
  const { store } = kernel.ctx;
  const image = await readHome(kernel.ctx.wholeHome);
  for (let n = 0; n < 30; n++) await kernel.pairAs(`Device ${n}`);
  await store.set("a", {});
  const before = kernel.kernel.foundation.eventLog.latest();
  const stream = readEventStream(await kernel.api.open("/api/events"));
  await stream.next();
  const replaced = kernel.replaced();
  await replaceWith(kernel.ctx.wholeHome, { store: image });
  await stream.until(({ event }) => event === "bye");
  await replaced;
  // Of too many sessions those end that were used last the longest ago, and the client's own is to stay.
  await kernel.clock.advance(60_000);
  await kernel.api.get("/api/auth");
  // Enough that the old position would be one of the new numbers, if they continued after the image's.
  for (let n = 0; n < 40; n++) await kernel.pairAs(`Device ${n}`);
  const again = readEventStream(
    await kernel.api.open("/api/events", {
      headers: { "last-event-id": String(before) },
    }),
  );
  await again.next();
  expect(await again.next()).toMatchObject({ event: "reset" });
  await again.close();
  const events = await kernel.kernel.foundation.eventLog.read(before, 500);
  expect(events[0]).toMatchObject({
    type: "kernel.home-replaced",
    data: { mode: "replace", failure: null },
  });
  await kernel.restart();
  expect(kernel.kernel.foundation.eventLog.latest()).toBeGreaterThan(
    events.at(-1)!.id,
  );
});

test("sessions of browsers stay only if asked, and never come from a stage", async () => {
  await using kernel = await startProbe();
  const phone = await kernel.pairAs("Phone");
  const sessions = await kernel.kernel.foundation.core.engine.keys("auth:");
  const values = await kernel.kernel.foundation.core.engine.getMany(sessions);
  const forged = sessions
    .map((key, at) => ({ key, text: JSON.stringify(values[at]) }))
    .sort((one, other) => (one.key < other.key ? -1 : 1));
  const image = await readHome(kernel.ctx.wholeHome);
  expect(image.auth).toBeUndefined();

  let replaced = kernel.replaced();
  await replaceWith(kernel.ctx.wholeHome, { store: { auth: forged } });
  await replaced;
  expect((await phone.client.get("/api/system")).status).toBe(200);

  replaced = kernel.replaced();
  await replaceWith(
    kernel.ctx.wholeHome,
    { store: { auth: forged } },
    { keepsSessions: false },
  );
  await replaced;
  expect((await phone.client.get("/api/system")).status).toBe(401);
  expect(kernel.kernel.http.sessions.list()).toEqual([]);
});

test("requests that were carried out are not carried out again", async () => {
  let count = 0;
  await using kernel = await startProbe({
    id: "lists",
    setup(ctx) {
      ctx.route({
        method: "POST",
        path: "/api/lists/add",
        summary: "Adds",
        access: "session",
        idempotent: true,
        returns: okAnswer,
        async handle() {
          await ctx.store.set(`n${++count}`, {});
          return { ok: true };
        },
      });
    },
  });
  const add = () =>
    kernel.api.post("/api/lists/add", {}, { "idempotency-key": "once" });
  await add();
  const image = await readHome(kernel.ctx.wholeHome);
  expect(
    image.kernel!.filter(({ key }) => key.startsWith("kernel:idempotency:")),
  ).toEqual([]);
  const replaced = kernel.replaced();
  await replaceWith(kernel.ctx.wholeHome, { store: {} });
  await replaced;
  expect((await add()).status).toBe(200);
  expect(count).toBe(1);
});

test("settings that are brought are in force, but the store stays where it is", async () => {
  await using kernel = await startProbe({ id: "lists" });
  const config = {
    hosts: ["brought.example"],
    storage: { driver: "redis", options: { url: "redis://elsewhere" } },
  };
  const replaced = kernel.replaced();
  await replaceWith(kernel.ctx.wholeHome, {
    store: {},
    files: { "config.json": JSON.stringify(config) },
  });
  await replaced;
  expect(kernel.kernel.config.hosts).toEqual(["brought.example"]);
  const file = join(kernel.home, "config.json");
  expect(JSON.parse(await readFile(file, "utf8"))).toEqual({
    hosts: ["brought.example"],
  });
});

test("one replacement is made at a time", async () => {
  await using kernel = await startProbe();
  const { wholeHome } = kernel.ctx;
  const stages = [
    await makeStage(wholeHome, { store: {} }),
    await makeStage(wholeHome, { store: {} }),
  ];
  const replaced = kernel.replaced();
  const results = await Promise.allSettled(
    stages.map((stage) =>
      wholeHome.replace({
        stage,
        mode: "replace",
        keepsSessions: true,
        note: {},
      }),
    ),
  );
  expect(results).toMatchObject([
    { status: "fulfilled" },
    {
      status: "rejected",
      reason: { code: "HOME_REPLACEMENT_PENDING", status: 409 },
    },
  ]);
  await replaced;
});

test("stages that were not used are removed at the next start", async () => {
  await using kernel = await startProbe();
  await makeStage(kernel.ctx.wholeHome, { store: {} });
  expect(await readdir(join(kernel.home, "restore"))).toHaveLength(1);
  await kernel.restart();
  await expect.poll(() => readdir(join(kernel.home, "restore"))).toEqual([]);
});

test("what belongs to this machine stays, is in no image, and comes from no stage", async () => {
  await using kernel = await startProbe({ id: "lists" });
  const key = `${MACHINE_PREFIX}done:a`;
  const place = async () => (await kernel.ctx.store.get(key)) as unknown;
  const image = await readHome(kernel.ctx.wholeHome);
  await kernel.ctx.store.batch([
    { type: "set", key: "a", value: { is: "new" } },
    { type: "set", key, value: { at: "now" } },
  ]);
  const later = await readHome(kernel.ctx.wholeHome);
  expect(later.lists?.map(({ key }) => key)).toEqual(["lists:a"]);
  for (const store of [image, later, image]) {
    const replaced = kernel.replaced();
    await replaceWith(kernel.ctx.wholeHome, {
      store: {
        ...store,
        lists: [
          { key: `lists:${key}`, text: '{"at":"long ago"}' },
          { key: `lists:${MACHINE_PREFIX}done:b`, text: "{}" },
          ...(store.lists ?? []),
        ],
      },
    });
    await replaced;
    expect(await place()).toEqual({ at: "now" });
    expect(await kernel.ctx.store.keys(MACHINE_PREFIX)).toEqual([key]);
  }
  expect(await kernel.ctx.store.get("a")).toBeUndefined();
});
