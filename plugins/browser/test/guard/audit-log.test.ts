import { createFakeClock, settle } from "@gantry/plugin-testing";
import { expect, test } from "vitest";
import { openAuditLog } from "../../src/guard/audit-log.ts";
import type { CountedCall } from "../../src/records/audit.ts";

const call = (method: string, agentId = "agt_1") => ({
  ...{ agentId, method, verdict: "allowed" as const, reason: null },
});

test("equal calls in a row are one entry with their number, written once a second", async () => {
  const clock = createFakeClock("2026-01-01T00:00:00.000Z");
  const batches: (readonly CountedCall[])[] = [];
  const log = openAuditLog({
    ...{ clock, log: { error: () => {} } },
    write: (calls) => Promise.resolve(void batches.push(calls)),
  });
  for (const method of ["Page.enable", "DOM.enable"]) log.record(call(method));
  await clock.advance(400);
  for (const method of ["DOM.enable", "Page.enable"]) log.record(call(method));
  log.record(call("Page.enable", "agt_2"));
  await clock.advance(599);
  expect(batches).toEqual([]);
  await clock.advance(1);
  await settle();
  expect(
    batches.map((calls) =>
      calls.map(
        ({ method, count, at }) => `${method} ${count} ${at.slice(20)}`,
      ),
    ),
  ).toEqual([
    [
      ...["Page.enable 1 000Z", "DOM.enable 2 400Z"],
      ...["Page.enable 1 400Z", "Page.enable 1 400Z"],
    ],
  ]);
  // Nothing is written while nothing happens.
  await clock.advance(5_000);
  expect(batches).toHaveLength(1);
});

test("a write that fails is logged, and the next ones succeed; a flood keeps its newest entries", async () => {
  const clock = createFakeClock();
  const faults: string[] = [];
  const written: CountedCall[] = [];
  let isBroken = true;
  const log = openAuditLog({
    ...{ clock, log: { error: (message) => void faults.push(message) } },
    write: (calls) =>
      isBroken
        ? Promise.reject(new Error("full"))
        : Promise.resolve(void written.push(...calls)),
  });
  log.record(call("Page.enable"));
  await log.flush();
  expect(faults).toHaveLength(1);
  isBroken = false;
  for (let at = 0; at < 6_000; at++) log.record(call(`Page.${at}`));
  await log.flush();
  expect(written).toHaveLength(5_000);
  expect(written.at(-1)?.method).toBe("Page.5999");
});
