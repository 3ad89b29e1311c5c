import { expect, test, vi } from "vitest";
import { defineEvent, defineRoute, defineService } from "@gantry/plugin";
import type { PluginContext } from "@gantry/plugin";
import { okAnswer, storedFields } from "@gantry/plugin/zod";
import * as z from "zod";
import { createProbe, startProbe } from "../support/probe.ts";
import type { ProbedKernel } from "../support/probe.ts";

const Happened = defineEvent<object>("probe.happened", "It happened.");
const Greeter = defineService<object>("test.greeter@1");

/** A route that answers when the test lets it. */
function createSlowRoute(
  work: (ctx: PluginContext) => Promise<unknown> = async () => {},
) {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const arrived = vi.fn<() => void>();
  return {
    arrived,
    release: () => release(),
    setup: (ctx: PluginContext) =>
      void ctx.route(
        defineRoute({
          method: "GET",
          path: "/api/probe",
          summary: "Slow",
          access: "session",
          returns: okAnswer,
          async handle() {
            arrived();
            await released;
            await work(ctx);
            return { ok: true as const };
          },
        }),
      ),
  };
}

const stop = (kernel: ProbedKernel) => kernel.kernel.plugins.stop("probe");

test("a request in progress finishes, with all that it needs, while new ones are turned away", async () => {
  const slow = createSlowRoute(async (ctx) => {
    await ctx.store.set("done", {});
    await ctx.emit(Happened.of("x", {}));
  });
  await using kernel = await startProbe({
    events: [Happened],
    setup: slow.setup,
  });
  const first = kernel.api.get("/api/probe");
  await vi.waitFor(() => expect(slow.arrived).toHaveBeenCalledOnce());
  const stopping = stop(kernel);
  await vi.waitFor(() => expect(kernel.ctx.signal.aborted).toBe(true));
  expect(await kernel.api.get("/api/probe")).toMatchObject({
    status: 503,
    body: {
      code: "PLUGIN_UNAVAILABLE",
      detail: expect.stringContaining("stopping") as string,
    },
  });
  expect(await kernel.stranger.get("/api/probe")).toMatchObject({
    status: 401,
  });
  slow.release();
  expect(await first).toMatchObject({ status: 200 });
  await stopping;
  expect(kernel.events.all(Happened)).toHaveLength(1);
  expect(slow.arrived).toHaveBeenCalledOnce();
  expect(await kernel.api.get("/api/probe")).toMatchObject({ status: 503 });
});

test("a request that takes longer than 5 s is not waited for", async () => {
  const slow = createSlowRoute();
  await using kernel = await startProbe({ setup: slow.setup });
  const request = kernel.api.get("/api/probe");
  await vi.waitFor(() => expect(slow.arrived).toHaveBeenCalledOnce());
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const stopping = stop(kernel);
  while (!kernel.ctx.signal.aborted) await nextTurn();
  await vi.advanceTimersByTimeAsync(5_000);
  vi.useRealTimers();
  await stopping;
  expect(kernel.log).toContainEqual(
    expect.objectContaining({ from: "probe", level: "warn", count: 1 }),
  );
  slow.release();
  await request;
});

test("a running listener and a running job are waited for as well", async () => {
  const steps: string[] = [];
  const releases: (() => void)[] = [];
  const work = (name: string) => async () => {
    steps.push(`${name} begins`);
    await new Promise<void>((resolve) => releases.push(resolve));
    steps.push(`${name} ends`);
  };
  await using kernel = await startProbe({
    events: [Happened],
    setup(ctx) {
      ctx.own(() => void steps.push("disposed"));
      ctx.on(Happened, work("listener"));
      ctx.cron("* * * * *", work("job"), { timezone: "UTC" });
    },
  });
  await kernel.ctx.emit(Happened.of("x", {}));
  await kernel.clock.advance(60_000);
  const stopping = stop(kernel);
  while (!kernel.ctx.signal.aborted) await nextTurn();
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  // Nothing new in the meantime.
  await kernel.ctx.emit(Happened.of("y", {}));
  await kernel.clock.advance(60_000);
  expect(steps).toEqual(["listener begins", "job begins"]);
  for (const release of releases) release();
  await stopping;
  expect(steps.at(-1)).toBe("disposed");
  expect(steps).toHaveLength(5);
});

test("a durable listener takes no further event once the stop begins, and finds it at the next start", async () => {
  const seen: string[] = [];
  let release = () => {};
  await using kernel = await startProbe({
    events: [Happened],
    setup: (ctx) =>
      void ctx.on(
        Happened,
        async ({ subject }) => {
          if (subject === "1")
            await new Promise<void>((resolve) => (release = resolve));
          await ctx.store.set(`seen:${subject}`, {});
          seen.push(subject);
        },
        { durable: "seen" },
      ),
  });
  await kernel.ctx.emit(...["1", "2", "3"].map((n) => Happened.of(n, {})));
  const stopping = stop(kernel);
  while (!kernel.ctx.signal.aborted) await nextTurn();
  release();
  await stopping;
  expect(seen).toEqual(["1"]);
  await kernel.restart();
  await vi.waitFor(() => expect(seen).toEqual(["1", "2", "3"]));
});

test("what was registered is taken back newest first, each guarded", async () => {
  const order: string[] = [];
  await using kernel = await startProbe({
    setup(ctx) {
      ctx.own(() => void order.push("first"));
      ctx.own(() => {
        throw new Error("Stuck");
      });
      ctx.own(async () => {
        await Promise.resolve();
        order.push("third");
      });
      ctx.own(() => Promise.reject(new Error("Stuck")));
    },
  });
  kernel.expectFault(/Stuck|left something behind/);
  await stop(kernel);
  expect(order).toEqual(["third", "first"]);
  expect(
    kernel.log.filter(({ message }) => message === "Could not be undone"),
  ).toHaveLength(2);
  expect(kernel.log).toContainEqual(
    expect.objectContaining({
      message: "Plugin left something behind",
      plugin: "probe",
      count: 2,
    }),
  );
});

test("a registration's own undo works once, and then there is nothing left to undo", async () => {
  const dispose = vi.fn<() => void>();
  await using kernel = await startProbe();
  const undo = kernel.ctx.own(dispose);
  undo();
  undo();
  await stop(kernel);
  expect(dispose).toHaveBeenCalledOnce();
});

test("after the end nothing can be used, and nothing that is tried leaves a trace", async () => {
  await using kernel = await startProbe({
    events: [Happened],
    provides: [Greeter],
    setup: (ctx) => void ctx.provide(Greeter, {}),
  });
  const { ctx } = kernel;
  const records = ctx.store.collection({
    name: "record",
    version: 1,
    schema: z.looseObject({ ...storedFields }),
  });
  await stop(kernel);
  const { http, foundation, plugins } = kernel.kernel;
  const traces = () => ({
    routes: http.app.table.routes().length,
    sockets: http.app.table.sockets().length,
    listeners: foundation.bus.size,
    services: plugins.services.size,
    timers: kernel.clock.pending,
  });
  const before = traces();
  const keys = await foundation.core.engine.keys("probe:");
  const stopped = expect.objectContaining({ code: "PLUGIN_STOPPED" }) as Error;
  const route = {
    method: "GET",
    path: "/api/probe/late",
    summary: "",
    access: "session",
    returns: okAnswer,
    handle: () => ({ ok: true }),
  } as const;
  const tries: (() => unknown)[] = [
    () => ctx.route(route),
    () =>
      ctx.socket({ path: "/api/probe/late", summary: "", access: "session" }),
    () => ctx.on(Happened, () => {}),
    () => ctx.on(Happened, () => {}, { durable: "late" }),
    () => ctx.cron("* * * * *", () => {}, { timezone: "UTC" }),
    () => ctx.provide(Greeter, {}),
    () => ctx.own(() => {}),
    () => ctx.emit(Happened.of("x", {})),
    () => ctx.store.set("late", {}),
    () => ctx.store.batch([], [Happened.of("x", {})]),
    () => records.insert({ id: "rec_late" }),
    () => ctx.run("/bin/true", []),
    () => ctx.run.collect("/bin/true", []),
    () => ctx.fetch("http://127.0.0.1:9/"),
    () => ctx.folder(),
  ];
  for (const attempt of tries)
    await expect(async () => attempt(), attempt.toString()).rejects.toEqual(
      stopped,
    );
  expect(traces()).toEqual(before);
  expect(await foundation.core.engine.keys("probe:")).toEqual(keys);
});

test("no timer goes off after the end, and no sleep ends, whenever it began", async () => {
  const late = vi.fn<() => void>();
  await using kernel = await startProbe({ setup: () => {} });
  const { clock } = kernel.ctx;
  clock.after(60_000, late);
  void clock.sleep(60_000).then(late);
  await stop(kernel);
  const before = kernel.clock.pending;
  clock.after(1_000, late)();
  clock.after(1_000, late);
  void clock.sleep(1_000).then(late);
  expect(kernel.clock.pending).toBe(before);
  await kernel.clock.advance(120_000);
  expect(late).not.toHaveBeenCalled();
});

test("a consumer that is busy keeps its provider until it is done", async () => {
  const steps: string[] = [];
  let release = () => {};
  const provider = createProbe({
    id: "provider",
    provides: [Greeter],
    setup(ctx) {
      ctx.provide(Greeter, {});
      ctx.own(() => void steps.push("provider gone"));
    },
  });
  await using kernel = await startProbe(
    {
      needs: { greeter: Greeter },
      setup: (ctx) =>
        void ctx.own(async () => {
          await new Promise<void>((resolve) => (release = resolve));
          steps.push("consumer gone");
        }),
    },
    { beside: [provider] },
  );
  const stopping = kernel.kernel.plugins.stop("provider");
  await vi.waitFor(() => expect(kernel.ctx.signal.aborted).toBe(true));
  await nextTurn();
  expect(steps).toEqual([]);
  release();
  await stopping;
  expect(steps).toEqual(["consumer gone", "provider gone"]);
});

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));
