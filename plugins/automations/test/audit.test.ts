import { expect, test } from "vitest";
import { startBench } from "./support/start.ts";
import type { Bench } from "./support/start.ts";

/** What the audit log has of an action, the oldest first. */
const told = ({ kernel }: Bench, action: string) =>
  kernel.kernel.foundation.audit
    .latest(200)
    .filter((entry) => entry.action === action)
    .map(({ by, details, again }) => ({ by, details, again }))
    .reverse();

test("every new secret of a webhook is in the audit log when it is shown", async () => {
  await using bench = await startBench();
  const made = () => told(bench, "automations.secret-made");
  const { automation, secret } = await bench.createHook();
  const entry = { by: "automations", details: { automation: automation.id } };
  expect(made()).toMatchObject([entry]);
  await bench.kernel.api.post(`/api/automations/${automation.id}/secret`);
  expect(made()).toMatchObject([entry, entry]);
  const path = `/api/automations/${automation.id}`;
  await bench.kernel.api.patch(path, { name: "New" });
  await bench.kernel.api.patch(path, { webhook: false });
  expect(made()).toHaveLength(2);
  await bench.kernel.api.patch(path, { webhook: true });
  expect(made()).toHaveLength(3);
  expect(JSON.stringify(made())).not.toContain(secret);
});

test("refused calls are in the audit log, summed up by the minute", async () => {
  await using bench = await startBench();
  const { automation, secret } = await bench.createHook();
  for (let round = 0; round < 30; round++)
    await bench.fire(automation.id, "wrong");
  await bench.fire(automation.id, secret);
  await bench.kernel.clock.advance(60_000);
  await bench.kernel.kernel.foundation.audit.flush();
  const entry = { by: "automations", details: { automation: automation.id } };
  expect(told(bench, "automations.hook-refused")).toMatchObject([
    { ...entry, again: undefined },
    { ...entry, again: 29 },
  ]);
});
