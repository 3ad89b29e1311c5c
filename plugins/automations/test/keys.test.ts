import { expect, test } from "vitest";
import { startBench } from "./support/start.ts";
import type { Bench } from "./support/start.ts";

const key = { "idempotency-key": "once" };

/** Fails the write that records a run, once. */
function failNextRun({ kernel }: Bench): void {
  const { engine } = kernel.kernel.foundation.core;
  const { commit } = engine;
  kernel.expectFault(/No space left/);
  engine.commit = (...batch) => {
    if (!batch[0].some(({ key }) => key.includes(":run:")))
      return commit(...batch);
    engine.commit = commit;
    return Promise.reject(new Error("No space left."));
  };
}

test("a call that fails after old calls were pruned can be repeated under its key, and runs once", async () => {
  await using bench = await startBench({
    settings: { limits: { callsKept: 1 } },
  });
  bench.agents.answer = () => ({});
  const { automation, secret } = await bench.createHook();
  const { id } = automation;
  const { clock } = bench.kernel;
  // The 51st call is the first that removes others.
  for (let count = 1; count <= 50; count++) {
    await clock.advance(1_000);
    await bench.fire(id, secret);
    await bench.ended(id, count);
  }
  await clock.advance(1_000);
  failNextRun(bench);
  expect((await bench.fire(id, secret, undefined, key)).status).toBe(500);
  const again = await bench.fire(id, secret, undefined, key);
  expect(again).toMatchObject({
    status: 200,
    body: { run: { result: "running" } },
  });
  expect(await bench.fire(id, secret, undefined, key)).toMatchObject({
    body: { run: { id: again.body.run.id } },
  });
  expect(await bench.ended(id, 51)).toHaveLength(51);
});

test("a call that was refused can be repeated under its key once it may run", async () => {
  await using bench = await startBench();
  const { automation, secret } = await bench.createHook({ enabled: false });
  const { id } = automation;
  expect((await bench.fire(id, secret, undefined, key)).status).toBe(409);
  await bench.kernel.clock.advance(10_000);
  await bench.kernel.api.patch(`/api/automations/${id}`, { enabled: true });
  expect(await bench.fire(id, secret, undefined, key)).toMatchObject({
    status: 200,
    body: { run: { result: "running" } },
  });
});
