import { createFakeClock, settle } from "@gantry/plugin-testing";
import { expect, test } from "vitest";
import { openAuditLog } from "../../src/fence/audit.ts";
import type { AuditEntry } from "../../src/fence/audit.ts";

const call = (method: string, agentId = "agt_1") => ({
  ...{ agentId, method },
  ...{ verdict: "allowed" as const, reason: null },
});

test("equal calls in a row are one entry with their number, written once a second", async () => {
  const clock = createFakeClock("2026-01-01T00:00:00.000Z");
  const batches: (readonly AuditEntry[])[] = [];
  const audit = openAuditLog({
    clock,
    log: { error: () => {} },
    write: (entries) => Promise.resolve(void batches.push(entries)),
  });
  for (const method of [
    "Page.enable",
    "DOM.enable",
    "DOM.enable",
    "Page.enable",
  ])
    audit.record(call(method));
  audit.record(call("Page.enable", "agt_2"));
  await clock.advance(999);
  expect(batches).toEqual([]);
  await clock.advance(1);
  await settle();
  expect(
    batches.map((entries) =>
      entries.map(({ method, count }) => `${method} ${count}`),
    ),
  ).toEqual([
    ["Page.enable 1", "DOM.enable 2", "Page.enable 1", "Page.enable 1"],
  ]);
  expect(batches[0]?.[0]?.at).toBe("2026-01-01T00:00:00.000Z");
  // Nothing is written while nothing happens.
  await clock.advance(5_000);
  expect(batches).toHaveLength(1);
});

test("a write that fails is logged, and the next ones go on; a flood keeps its newest entries", async () => {
  const clock = createFakeClock();
  const faults: string[] = [];
  const written: AuditEntry[] = [];
  let isBroken = true;
  const audit = openAuditLog({
    clock,
    log: { error: (message) => void faults.push(message) },
    write: (entries) =>
      isBroken
        ? Promise.reject(new Error("full"))
        : Promise.resolve(void written.push(...entries)),
  });
  audit.record(call("Page.enable"));
  await audit.flush();
  expect(faults).toHaveLength(1);
  isBroken = false;
  for (let at = 0; at < 6_000; at++) audit.record(call(`Page.${at}`));
  await audit.flush();
  expect(written).toHaveLength(5_000);
  expect(written.at(-1)?.method).toBe("Page.5999");
});
