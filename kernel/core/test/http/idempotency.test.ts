import { copyFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { defineErrors, defineRoute } from "@gantry/plugin";
import type { PluginContext, PluginDefinition } from "@gantry/plugin";
import { okAnswer } from "@gantry/plugin/zod";
import * as z from "zod";
import { startProbe } from "../support/probe.ts";
import type { ProbedKernel } from "../support/probe.ts";
import { temporaryFolder } from "@gantry/build/testing";

const DAY_MS = 24 * 60 * 60 * 1000;
const errors = defineErrors({
  PROBE_BUSY: { status: 409, title: "Busy", detail: "It is busy." },
});

type Handler = (ctx: PluginContext, n: number) => Promise<void>;

/** What a handler does first: one effect in the store. */
const effect: Handler = (ctx, n) =>
  ctx.store.set(`effect:${n}:${crypto.randomUUID().slice(0, 8)}`, {});

async function start(handler: Handler = effect, home?: string) {
  let count = 0;
  const definition: Partial<PluginDefinition> = {
    setup(ctx) {
      const common = {
        summary: "Made for a test",
        access: "session",
        idempotent: true,
        errors: ["PROBE_BUSY"],
        returns: z.object({ n: z.number(), count: z.number() }),
      } as const;
      const handle = async (n: number) => {
        const mine = ++count;
        await handler(ctx, n);
        return { n, count: mine };
      };
      ctx.route(
        defineRoute({
          ...common,
          method: "POST",
          path: "/api/probe",
          body: z.strictObject({ n: z.number() }),
          handle: ({ body }) => handle(body.n),
        }),
      );
      ctx.route(
        defineRoute({
          ...common,
          method: "POST",
          path: "/api/probe/other",
          body: z.strictObject({ n: z.number() }),
          handle: ({ body }) => handle(body.n),
        }),
      );
      ctx.route(
        defineRoute({
          ...common,
          method: "POST",
          path: "/api/probe/bytes",
          body: "bytes",
          idempotencyHeaders: ["x-delivery"],
          handle: ({ body }) => handle(body.length),
        }),
      );
      ctx.route(
        defineRoute({
          ...common,
          method: "POST",
          path: "/api/probe/empty",
          handle: () => handle(0),
        }),
      );
      ctx.route(
        defineRoute({
          method: "POST",
          path: "/api/probe/plain",
          summary: "x",
          access: "session",
          body: z.strictObject({ n: z.number() }),
          returns: okAnswer,
          handle: async ({ body }) => (
            await handle(body.n),
            { ok: true as const }
          ),
        }),
      );
    },
  };
  const kernel = await startProbe(definition, { home });
  const effects = async () => (await kernel.ctx.store.keys("effect:")).length;
  return Object.assign(kernel, { effects, handled: () => count });
}

const post = (
  kernel: ProbedKernel,
  n: number,
  key?: string,
  path = "/api/probe",
) =>
  kernel.api.post<{ n: number; count: number; code?: string }>(
    path,
    { n },
    key === undefined ? {} : { "idempotency-key": key },
  );

test("the same key gives the same answer and no second effect, also after a restart", async () => {
  await using kernel = await start();
  const first = await post(kernel, 1, "key");
  expect(first).toMatchObject({ status: 200, body: { n: 1, count: 1 } });
  expect((await post(kernel, 1, "key")).body).toEqual(first.body);
  await kernel.restart();
  expect((await post(kernel, 1, "key")).body).toEqual(first.body);
  expect(await kernel.effects()).toBe(1);
  expect((await post(kernel, 1)).body).toEqual({ n: 1, count: 2 });
  expect((await post(kernel, 1, "other")).body).toEqual({ n: 1, count: 3 });
});

test("the same key with another body is a mistake", async () => {
  await using kernel = await start();
  await post(kernel, 1, "key");
  expect(await post(kernel, 2, "key")).toMatchObject({
    status: 409,
    body: { code: "IDEMPOTENCY_KEY_REUSED" },
  });
  expect(await kernel.effects()).toBe(1);
});

test("a key counts for one operation and one caller", async () => {
  await using kernel = await start();
  await post(kernel, 1, "key");
  expect((await post(kernel, 1, "key", "/api/probe/other")).body).toMatchObject(
    { count: 2 },
  );
  const { client } = await kernel.pairAs("Other");
  const other = await client.post(
    "/api/probe",
    { n: 1 },
    { "idempotency-key": "key" },
  );
  expect(other.body).toMatchObject({ count: 3 });
});

test("two at once are one", async () => {
  let release = () => {};
  await using kernel = await start(async (ctx, n) => {
    await new Promise<void>((resolve) => (release = resolve));
    await effect(ctx, n);
  });
  const both = Array.from({ length: 5 }, () => post(kernel, 1, "key"));
  await vi.waitFor(() => expect(kernel.handled()).toBe(1));
  release();
  const answers = await Promise.all(both);
  expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
  expect(kernel.handled()).toBe(1);
  expect(await kernel.effects()).toBe(1);
});

test("a refusal before any effect is not remembered", async () => {
  let isBusy = true;
  await using kernel = await start(async (ctx, n) => {
    if (isBusy) throw errors.PROBE_BUSY();
    await effect(ctx, n);
  });
  expect(await post(kernel, 1, "key")).toMatchObject({
    status: 409,
    body: { code: "PROBE_BUSY" },
  });
  isBusy = false;
  expect(await post(kernel, 1, "key")).toMatchObject({ status: 200 });
  expect(await kernel.effects()).toBe(1);
});

test("a fault after the effect is never answered with a second one", async () => {
  await using kernel = await start(async (ctx, n) => {
    await effect(ctx, n);
    throw errors.PROBE_BUSY();
  });
  expect(await post(kernel, 1, "key")).toMatchObject({
    body: { code: "PROBE_BUSY" },
  });
  for (let again = 0; again < 2; again++)
    expect(await post(kernel, 1, "key")).toMatchObject({
      status: 409,
      body: { code: "IDEMPOTENCY_INTERRUPTED" },
    });
  expect(await kernel.effects()).toBe(1);
});

test("a request that fails after writes that only prepare its effect may be sent again", async () => {
  let attempts = 0;
  await using kernel = await start(async (ctx, n) => {
    await ctx.prepare(async () => {
      await ctx.store.set("prepared", {});
      await ctx.store.set("prepared-too", {});
    });
    if (++attempts === 1) throw errors.PROBE_BUSY();
    await effect(ctx, n);
    if (attempts === 2) throw errors.PROBE_BUSY();
  });
  for (let attempt = 1; attempt <= 2; attempt++)
    expect(await post(kernel, 1, "key")).toMatchObject({
      body: { code: "PROBE_BUSY" },
    });
  // The second attempt had its effect.
  expect(await post(kernel, 1, "key")).toMatchObject({
    body: { code: "IDEMPOTENCY_INTERRUPTED" },
  });
  expect(await kernel.effects()).toBe(1);
});

test("what is prepared stays so in the services that it calls and in what it leaves running", async () => {
  let goOn = () => {};
  let left: Promise<void> | undefined;
  await using kernel = await start(async (ctx) => {
    ctx.prepare(() => {
      left = new Promise<void>((resolve) => (goOn = resolve)).then(() =>
        ctx.store.set("late", {}),
      );
    });
    goOn();
    await left;
    throw errors.PROBE_BUSY();
  });
  for (let again = 0; again < 2; again++)
    expect(await post(kernel, 1, "key")).toMatchObject({
      body: { code: "PROBE_BUSY" },
    });
  expect(kernel.handled()).toBe(2);
});

test("a crash between the effect and the answer leaves a key that says so", async () => {
  let answer = () => {};
  await using kernel = await start(async (ctx, n) => {
    await effect(ctx, n);
    await new Promise<void>((resolve) => (answer = resolve));
  });
  const { client, cookie } = await kernel.pairAs("Unlucky");
  const cutOff = client.post(
    "/api/probe",
    { n: 1 },
    { "idempotency-key": "key" },
  );
  await vi.waitFor(async () => expect(await kernel.effects()).toBe(1));
  // What is on disk at this moment is what a crash would leave.
  const home = await temporaryFolder();
  for (const name of ["store.sqlite", "store.sqlite-wal"])
    await copyFile(join(kernel.home, name), join(home, name));
  answer();
  await cutOff;

  await using after = await start(undefined, home);
  const again = await after.stranger.post(
    "/api/probe",
    { n: 1 },
    { "idempotency-key": "key", cookie, origin: after.url },
  );
  expect(again).toMatchObject({
    status: 409,
    body: { code: "IDEMPOTENCY_INTERRUPTED" },
  });
  expect(await after.effects()).toBe(1);
  expect(after.handled()).toBe(0);
});

test("a write that the handler does not wait for takes no answer back", async () => {
  let finish = () => {};
  await using kernel = await start(async (ctx, n) => {
    void new Promise<void>((resolve) => (finish = resolve)).then(() =>
      effect(ctx, n),
    );
  });
  const first = await post(kernel, 1, "key");
  finish();
  await vi.waitFor(async () => expect(await kernel.effects()).toBe(1));
  expect(await post(kernel, 1, "key")).toMatchObject({
    status: 200,
    body: first.body,
  });
});

test("a key is remembered for a day, then forgotten and swept", async () => {
  await using kernel = await start();
  await post(kernel, 1, "key");
  kernel.clock.jumpWall(kernel.clock.now() + DAY_MS - 1);
  expect((await post(kernel, 1, "key")).body).toMatchObject({ count: 1 });
  await kernel.clock.advance(1);
  expect((await post(kernel, 1, "key")).body).toMatchObject({ count: 2 });
  kernel.clock.jumpWall(kernel.clock.now() + 2 * DAY_MS);
  const { core, idempotency } = kernel.kernel.foundation;
  await idempotency.prune();
  expect(await core.engine.keys("kernel:idempotency:")).toEqual([]);
});

test("further headers count where an operation says so, and bytes are compared as bytes", async () => {
  await using kernel = await start();
  const send = (bytes: number[], headers: Record<string, string>) =>
    kernel.api.post<object>(
      "/api/probe/bytes",
      Uint8Array.from(bytes),
      headers,
    );
  const first = await send([0, 255], { "x-delivery": "d-1" });
  expect((await send([0, 255], { "x-delivery": "d-1" })).body).toEqual(
    first.body,
  );
  expect((await send([0, 254], { "x-delivery": "d-1" })).status).toBe(409);
  expect((await send([0, 255], { "idempotency-key": "d-1" })).body).not.toEqual(
    first.body,
  );
});

test("an operation that takes no body honours a key as well", async () => {
  await using kernel = await start();
  const send = (body?: object) =>
    kernel.api.post<object>("/api/probe/empty", body, {
      "idempotency-key": "key",
    });
  const first = await send();
  expect(first).toMatchObject({ status: 200, body: { count: 1 } });
  // Nothing and an empty object are the same.
  for (const body of [undefined, {}])
    expect(await send(body)).toMatchObject({ status: 200, body: first.body });
  expect(await send({ n: 1 })).toMatchObject({ status: 400 });
  expect(kernel.handled()).toBe(1);
});

test("a key that is none is refused, and one where none is taken changes nothing", async () => {
  await using kernel = await start();
  for (const key of ["", " ", "a b", "é", "x".repeat(129)])
    expect(await post(kernel, 1, key), key).toMatchObject({
      status: 400,
      body: { code: "IDEMPOTENCY_KEY_INVALID" },
    });
  expect(await post(kernel, 1, "x".repeat(128))).toMatchObject({ status: 200 });
  await post(kernel, 1, "key", "/api/probe/plain");
  await post(kernel, 1, "key", "/api/probe/plain");
  expect(kernel.handled()).toBe(3);
});
