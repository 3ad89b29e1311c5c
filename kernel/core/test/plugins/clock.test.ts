import { expect, test, vi } from "vitest";
import { startProbe } from "../support/probe.ts";

test("timers that are pending when a plugin has stopped never call back", async () => {
  await using kernel = await startProbe();
  const late = vi.fn<() => void>();
  const before = kernel.clock.pending;
  kernel.ctx.clock.after(60_000, late);
  expect(kernel.clock.pending).toBe(before + 1);
  await kernel.restart();
  await kernel.clock.advance(120_000);
  expect(late).not.toHaveBeenCalled();
});

test("a cleanup may use a timer, also for its own time limit", async () => {
  const steps: string[] = [];
  await using kernel = await startProbe({
    setup(ctx) {
      // Only the first run, since no clock advances when the test ends.
      if (steps.length > 0) return;
      ctx.own(
        () =>
          new Promise<void>((resolve) => {
            steps.push("cleanup");
            ctx.clock.after(1000, () => {
              steps.push("timer");
              resolve();
            });
          }),
      );
    },
  });
  const ended = kernel.restart();
  await vi.waitFor(() => expect(steps).toEqual(["cleanup"]));
  await kernel.clock.advance(1000);
  await ended;
  expect(steps).toEqual(["cleanup", "timer"]);
});

test("after the stop a timer throws, and a sleep rejects, also one that had begun", async () => {
  await using kernel = await startProbe();
  const { clock } = kernel.ctx;
  const asleep = expect(clock.sleep(60_000)).rejects.toMatchObject({
    code: "PLUGIN_STOPPED",
  });
  await kernel.restart();
  await asleep;
  expect(() => clock.after(1, () => {})).toThrow(
    expect.objectContaining({ code: "PLUGIN_STOPPED" }) as Error,
  );
  await expect(clock.sleep(1)).rejects.toMatchObject({
    code: "PLUGIN_STOPPED",
  });
  expect(clock.now()).toBe(kernel.clock.now());
});

test("a sleep ends in time, or with the reason of its signal, and leaves no listener", async () => {
  await using kernel = await startProbe();
  const { clock } = kernel.ctx;
  const before = kernel.clock.pending;
  const stop = new AbortController();
  const remove = vi.spyOn(stop.signal, "removeEventListener");
  const slept = clock.sleep(1000, stop.signal);
  await kernel.clock.advance(1000);
  await slept;
  expect(remove).toHaveBeenCalledOnce();
  const interrupted = clock.sleep(1000, stop.signal);
  stop.abort(new Error("Enough"));
  await expect(interrupted).rejects.toThrow("Enough");
  await expect(clock.sleep(1000, stop.signal)).rejects.toThrow("Enough");
  expect(kernel.clock.pending).toBe(before);
});

test("an error of a callback is logged, and the next timer is called", async () => {
  await using kernel = await startProbe();
  const next = vi.fn<() => void>();
  kernel.ctx.clock.after(1, () => {
    throw new Error("Broken");
  });
  kernel.ctx.clock.after(2, next);
  await kernel.clock.advance(5);
  expect(next).toHaveBeenCalledOnce();
  kernel.expectFault(/^Timer failed/);
});
