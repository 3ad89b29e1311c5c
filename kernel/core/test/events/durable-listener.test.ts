import { expect, test, vi } from "vitest";
import { defineEvent } from "@gantry/plugin";
import type { EventRecord, PluginContext } from "@gantry/plugin";
import { errors } from "@gantry/system/errors";
import { startProbe } from "../support/probe.ts";

const Happened = defineEvent<{ n: number }>("probe.happened", "It happened.");
const Other = defineEvent<object>("probe.other-happened", "Another did.");

type Handler = (
  ctx: PluginContext,
  event: EventRecord<{ n: number }>,
) => unknown;

/** A plugin that listens durably and notes each effect in its store. */
function startListener(handler: Handler) {
  return startProbe({
    events: [Happened, Other],
    setup(ctx) {
      ctx.on(Happened, async (event) => void (await handler(ctx, event)), {
        durable: "counter",
      });
    },
  });
}

const emit = (ctx: PluginContext, n: number) =>
  ctx.emit(Happened.of(String(n), { n }), Other.of(String(n), {}));

const note = (ctx: PluginContext, { data }: EventRecord<{ n: number }>) =>
  ctx.store.set(`seen:${data.n}:${crypto.randomUUID().slice(0, 8)}`, {});

async function seen(ctx: PluginContext): Promise<number[]> {
  const keys = await ctx.store.keys("seen:");
  return keys.map((key) => Number(key.split(":")[1])).sort((a, b) => a - b);
}

const eventually = (ctx: () => PluginContext, expected: number[]) =>
  vi.waitFor(async () => expect(await seen(ctx())).toEqual(expected));

test("it hears what happens from its first start on, in order, one after the other", async () => {
  let busy = 0;
  const order: number[] = [];
  await using kernel = await startListener(async (ctx, event) => {
    expect(++busy).toBe(1);
    order.push(event.data.n);
    await note(ctx, event);
    busy--;
  });
  for (let n = 1; n <= 10; n++) await emit(kernel.ctx, n);
  await eventually(() => kernel.ctx, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(order).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test("what happened while it was away is delivered when it is back, and nothing twice", async () => {
  await using kernel = await startListener(note);
  await emit(kernel.ctx, 1);
  await eventually(() => kernel.ctx, [1]);
  await kernel.restart();
  await emit(kernel.ctx, 2);
  await eventually(() => kernel.ctx, [1, 2]);
  const { kernel: daemon } = kernel;
  await daemon.plugins.stop("probe");
  const missed = [3, 4].map((n) => Happened.of(String(n), { n }));
  await daemon.foundation.core.commit("probe", [], missed);
  await kernel.restart();
  await eventually(() => kernel.ctx, [1, 2, 3, 4]);
});

test("an event whose handler fails before it wrote anything is tried again, later and later, then passed over", async () => {
  let tries = 0;
  await using kernel = await startListener(async (ctx, event) => {
    if (event.data.n === 1) {
      tries++;
      throw new Error("Not today");
    }
    await note(ctx, event);
  });
  kernel.expectFault(/Not today/);
  await emit(kernel.ctx, 1);
  await emit(kernel.ctx, 2);
  for (const [n, ms] of [1_000, 5_000, 30_000].entries()) {
    await vi.waitFor(() => expect(tries).toBe(n + 1));
    await kernel.clock.advance(ms);
  }
  await eventually(() => kernel.ctx, [2]);
  expect(tries).toBe(4);
});

test("an event whose handler fails after writes that only prepare its effect is tried again", async () => {
  let tries = 0;
  await using kernel = await startListener(async (ctx, event) => {
    await ctx.prepare(() => ctx.store.set("prepared", {}));
    if (++tries === 1) throw new Error("Before the effect");
    await note(ctx, event);
  });
  kernel.expectFault(/Before the effect/);
  await emit(kernel.ctx, 1);
  await vi.waitFor(() => expect(tries).toBe(1));
  await kernel.clock.advance(1_000);
  await eventually(() => kernel.ctx, [1]);
  expect(tries).toBe(2);
});

test("an effect that was written is never repeated, also if the handler fails after it", async () => {
  await using kernel = await startListener(async (ctx, event) => {
    await note(ctx, event);
    if (event.data.n === 1) throw new Error("After the effect");
  });
  kernel.expectFault(/After the effect/);
  await emit(kernel.ctx, 1);
  await emit(kernel.ctx, 2);
  await eventually(() => kernel.ctx, [1, 2]);
  await kernel.clock.advance(60_000);
  await kernel.restart();
  await emit(kernel.ctx, 3);
  await eventually(() => kernel.ctx, [1, 2, 3]);
});

test("a write that a handler does not wait for does not move its place back", async () => {
  let finish = () => {};
  await using kernel = await startListener(async (ctx, event) => {
    if (event.data.n > 1) return void (await note(ctx, event));
    void new Promise<void>((resolve) => (finish = resolve)).then(() =>
      ctx.store.set("late", {}),
    );
  });
  await emit(kernel.ctx, 1);
  await emit(kernel.ctx, 2);
  await eventually(() => kernel.ctx, [2]);
  finish();
  await vi.waitFor(async () =>
    expect(await kernel.ctx.store.get("late")).toBeDefined(),
  );
  await kernel.restart();
  await emit(kernel.ctx, 3);
  await eventually(() => kernel.ctx, [2, 3]);
});

test("a storage that does not work for longer than any retry costs no event, and none is taken twice", async () => {
  await using kernel = await startListener(note);
  kernel.expectFault(/Durable listener waits/);
  await emit(kernel.ctx, 1);
  await eventually(() => kernel.ctx, [1]);
  const { engine } = kernel.kernel.foundation.core;
  let isOut = false;
  const works = engine.commit.bind(engine);
  vi.spyOn(engine, "commit").mockImplementation((...batch) =>
    isOut && batch[0].some(({ key }) => key.startsWith("probe:"))
      ? Promise.reject(errors.STORAGE_UNAVAILABLE())
      : works(...batch),
  );
  isOut = true;
  await emit(kernel.ctx, 2);
  await emit(kernel.ctx, 3);
  await kernel.clock.advance(100_000);
  expect(await seen(kernel.ctx)).toEqual([1]);
  isOut = false;
  await kernel.clock.advance(30_000);
  await eventually(() => kernel.ctx, [1, 2, 3]);
});

test("more events than wait in memory come in order all the same", async () => {
  let go = () => {};
  const order: number[] = [];
  await using kernel = await startListener(async (_ctx, { data }) => {
    if (data.n === 0) await new Promise<void>((resolve) => (go = resolve));
    order.push(data.n);
  });
  const count = 1_500;
  const numbers = Array.from({ length: count }, (_, n) => n);
  await kernel.ctx.emit(Happened.of("0", { n: 0 }));
  await kernel.ctx.emit(
    ...numbers.slice(1).map((n) => Happened.of(String(n), { n })),
  );
  go();
  await vi.waitFor(() => expect(order).toHaveLength(count));
  expect(order).toEqual(numbers);
});

test("what is not for a listener need not be read again at the next start", async () => {
  await using kernel = await startListener(note);
  await emit(kernel.ctx, 1);
  await eventually(() => kernel.ctx, [1]);
  const place = async () => {
    const { core } = kernel.kernel.foundation;
    const cursor = await core.engine.get("kernel:cursor:probe:counter");
    return core.latestEventId() - (cursor as { after: number }).after;
  };
  const others = Array.from({ length: 1_100 }, (_, n) =>
    Other.of(String(n), {}),
  );
  await kernel.ctx.emit(...others);
  await vi.waitFor(async () => expect(await place()).toBeLessThan(1_000));
  await kernel.ctx.emit(...others.slice(0, 300));
  expect(await place()).toBeGreaterThan(250);
  await kernel.restart();
  // What the stop and the start have reported.
  expect(await place()).toBeLessThan(10);
  await emit(kernel.ctx, 2);
  await eventually(() => kernel.ctx, [1, 2]);
});

test("a damaged record that a handler meets does not cost it the event", async () => {
  let fails = true;
  await using kernel = await startListener(async (ctx, event) => {
    const records = ctx.store.collection({
      name: "record",
      version: 1,
      schema: { "~standard": failingSchema } as never,
    });
    await records.get("one");
    if (fails) throw new Error("After the look");
    await note(ctx, event);
  });
  kernel.expectFault(/After the look/);
  await kernel.ctx.store.set("record:one", { v: 1, data: {} });
  await emit(kernel.ctx, 1);
  await vi.waitFor(() =>
    expect(
      kernel.log.filter(({ message }) => message === "Durable listener failed"),
    ).toHaveLength(1),
  );
  fails = false;
  await kernel.clock.advance(1_000);
  await eventually(() => kernel.ctx, [1]);
});

const failingSchema = {
  version: 1,
  vendor: "test",
  validate: () => ({ issues: [{ message: "never fits" }] }),
};
