import { expect, test, vi } from "vitest";
import { AnyEvent, defineEvent } from "@gantry/plugin";
import { startProbe } from "../support/probe.ts";

const Happened = defineEvent<{ n: number }>("probe.happened", "It happened.");
const Other = defineEvent<object>("probe.other-happened", "Another did.");
const events = [Happened, Other];

test("a listener gets its own type, in order, until it is taken back", async () => {
  await using kernel = await startProbe({ events });
  const heard: number[] = [];
  const stop = kernel.ctx.on(Happened, ({ data }) => void heard.push(data.n));
  await kernel.ctx.emit(Happened.of("1", { n: 1 }), Other.of("x", {}));
  await kernel.ctx.emit(Happened.of("2", { n: 2 }));
  expect(heard).toEqual([1, 2]);
  stop();
  const other = vi.fn<() => void>();
  kernel.ctx.on(Happened, other);
  stop();
  await kernel.ctx.emit(Happened.of("3", { n: 3 }));
  expect(heard).toEqual([1, 2]);
  expect(other).toHaveBeenCalledOnce();
});

test("a plugin can listen to all events, and read those that were stored", async () => {
  await using kernel = await startProbe({ events });
  const { ctx } = kernel;
  const heard: string[] = [];
  const stop = ctx.on(AnyEvent, ({ type }) => void heard.push(type));
  const durable: string[] = [];
  ctx.on(AnyEvent, ({ type }) => void durable.push(type), { durable: "all" });
  const before = ctx.events.latest();
  await ctx.emit(Happened.of("1", { n: 1 }), Other.of("x", {}));
  stop();
  await ctx.emit(Other.of("y", {}));
  expect(heard).toEqual([Happened.type, Other.type]);
  await vi.waitFor(() => expect(durable).toEqual([...heard, Other.type]));
  const stored = await ctx.events.read(before, 2);
  expect(stored.map(({ type }) => type)).toEqual(heard);
  expect(await ctx.events.holds(before)).toBe(true);
  expect(await ctx.events.holds(ctx.events.latest() + 1)).toBe(false);
});

test.each([
  [
    "throws",
    () => {
      throw new Error("Bad listener");
    },
  ],
  ["rejects", () => Promise.reject(new Error("Bad listener"))],
  ["throws nothing that is an error", () => Promise.reject("Bad listener")],
])(
  "a listener that %s is named in the log, and neither the emitter nor another listener is affected",
  async (_, listener) => {
    await using kernel = await startProbe({ events });
    kernel.expectFault(/Bad listener/);
    const heard: number[] = [];
    kernel.ctx.on(Happened, listener);
    kernel.ctx.on(Happened, ({ data }) => void heard.push(data.n));
    await kernel.ctx.emit(Happened.of("1", { n: 1 }));
    expect(heard).toEqual([1]);
    await vi.waitFor(() =>
      expect(kernel.log.filter(({ level }) => level === "error")).toMatchObject(
        [{ from: "probe", message: "Listener failed", event: Happened.type }],
      ),
    );
  },
);

test("what was not stored is not told", async () => {
  await using kernel = await startProbe({ events });
  const listener = vi.fn<() => void>();
  kernel.ctx.on(Happened, listener);
  const impossible = { n: 1n } as unknown as { n: number };
  await expect(kernel.ctx.emit(Happened.of("1", impossible))).rejects.toThrow();
  await expect(
    kernel.ctx.store.batch(
      [{ type: "set", key: "not a key", value: {} }],
      [Happened.of("1", { n: 1 })],
    ),
  ).rejects.toThrow(TypeError);
  expect(listener).not.toHaveBeenCalled();
  expect(kernel.events.all(Happened)).toEqual([]);
});
