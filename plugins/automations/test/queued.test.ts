import fc from "fast-check";
import { runs } from "@gantry/build/testing";
import { expect, test } from "vitest";
import { takeCrashImage } from "./support/crash-image.ts";
import { startBench } from "./support/start.ts";

const AUTOMATIONS = 4;

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ run: fc.nat(AUTOMATIONS - 1) }) },
  { weight: 3, arbitrary: fc.constant("finish the oldest run" as const) },
  { weight: 1, arbitrary: fc.constant("restart" as const) },
  { weight: 1, arbitrary: fc.constant("kill" as const) },
);

test("whatever restarts and kills come between, an accepted run begins once, in its turn", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 2 }),
      fc.array(step, { minLength: 3, maxLength: 14 }),
      async (concurrentRuns, steps) => {
        const settings = { limits: { concurrentRuns } };
        await using stack = new AsyncDisposableStack();
        let bench = await startBench({ settings });
        stack.defer(() => bench[Symbol.asyncDispose]());
        const ids: string[] = [];
        for (let count = 0; count < AUTOMATIONS; count++)
          ids.push((await bench.create()).id);
        const accepted: string[] = [];
        const begunBefore: string[] = [];
        const begun = () => [
          ...begunBefore,
          ...bench.agents.runs.map(({ input }) => input.runId),
        ];
        let finished = 0;

        for (const next of steps) {
          if (typeof next === "object") {
            const run = await bench.runNow(ids[next.run]!);
            if (run.result === "running") accepted.push(run.id);
          } else if (next === "restart") await bench.kernel.restart();
          else if (next === "kill") {
            // What the daemon does after the image was taken never happened.
            const home = takeCrashImage(bench.kernel.home);
            begunBefore.splice(0, begunBefore.length, ...begun());
            const killed = bench;
            finished = 0;
            bench = await startBench({ settings, home });
            await killed[Symbol.asyncDispose]();
          } else bench.agents.runs[finished++]?.finish();
        }
        bench.agents.answer = () => ({});
        for (const run of bench.agents.runs) run.finish();

        const cutOff = new Set<string>();
        for (const id of ids) {
          const isOver = async () => (await bench.get(id)).activeRunId === null;
          await expect.poll(isOver).toBe(true);
          for (const { id: runId, reason, startedAt } of await bench.runs(id))
            if (reason === "daemon-restarted" && startedAt !== null)
              cutOff.add(runId);
        }
        // One that was cut off right when it began may not have come to its agent.
        const expected = accepted.filter(
          (id) => begun().includes(id) || !cutOff.has(id),
        );
        expect([...begun()].sort()).toEqual([...expected].sort());
        // Two that begin at once reach their agents in any order.
        const moved = begun().map((id, at) =>
          Math.abs(at - expected.indexOf(id)),
        );
        expect(Math.max(0, ...moved)).toBeLessThan(concurrentRuns);
      },
    ),
    { numRuns: runs(25) },
  );
});
