import fc from "fast-check";
import { runs } from "@gantry/build/testing";
import { expect, test } from "vitest";
import { defineService } from "@gantry/plugin";
import { startTestKernel } from "../../../testing/src/index.ts";
import { createProbe, statusOf } from "../support/probe.ts";

const Thing = defineService<object>("base.thing@1");
const turn = () => new Promise((resolve) => setImmediate(resolve));

test("however starts and stops overlap, each run of a plugin ends before its next begins, and none runs without what it needs", async () => {
  const running = new Map<string, number>();
  const mistakes: string[] = [];
  const watch = (id: string, needs: readonly string[] = []) =>
    createProbe({
      id,
      ...(id === "base" ? { provides: [Thing] } : { needs: { thing: Thing } }),
      async setup(ctx) {
        running.set(id, (running.get(id) ?? 0) + 1);
        if (running.get(id) !== 1) mistakes.push(`${id} runs twice`);
        for (const need of needs)
          if (running.get(need) !== 1) mistakes.push(`${id} without ${need}`);
        await turn();
        if (id === "base") ctx.provide(Thing, {});
        ctx.own(async () => {
          for (const [other, count] of running)
            if (id === "base" && other !== id && count > 0)
              mistakes.push(`${id} ends before ${other}`);
          await turn();
          running.set(id, (running.get(id) ?? 0) - 1);
        });
      },
    });
  await using kernel = await startTestKernel([
    watch("base"),
    watch("left", ["base"]),
    watch("right", ["base"]),
  ]);
  const { plugins } = kernel.kernel;
  const act = (action: string) => {
    const [what, id = ""] = action.split(" ");
    if (what === "start") return plugins.start();
    if (what === "stop") return plugins.stop(id);
    return plugins.stopAll();
  };
  const action = fc.constantFrom(
    "start",
    "start",
    "stop base",
    "stop left",
    "stop right",
    "stopAll",
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(action, fc.boolean()), { minLength: 2, maxLength: 12 }),
      async (actions) => {
        const pending: Promise<void>[] = [];
        for (const [name, isAwaited] of actions) {
          const done = act(name);
          pending.push(done);
          if (isAwaited) await turn();
        }
        await Promise.all(pending);
        await plugins.start();
        for (const id of ["base", "left", "right"]) {
          expect(statusOf(kernel, id).state).toBe("active");
          expect(running.get(id)).toBe(1);
        }
        expect(mistakes).toEqual([]);
      },
    ),
    { numRuns: runs(40) },
  );
});

test("a plugin that is failed while others start stays failed", async () => {
  await using kernel = await startTestKernel([
    createProbe({ id: "one" }),
    createProbe({ id: "two", setup: () => turn() as Promise<void> }),
  ]);
  const { plugins } = kernel.kernel;
  await plugins.stopAll();
  const starting = plugins.start();
  await Promise.all([plugins.fail("one", "Stopped for the test"), starting]);
  await plugins.start();
  expect(statusOf(kernel, "one")).toEqual({
    state: "failed",
    reason: "Stopped for the test",
  });
  expect(statusOf(kernel, "two").state).toBe("active");
});
