import type { MeasuredProgram } from "@gantry/process-kit";
import { expect, test } from "vitest";
import { UsageHistory } from "../../src/built-in/processes/usage-history.ts";

const makeProcess = (fields: Partial<MeasuredProgram>): MeasuredProgram => ({
  pid: 7,
  plugin: "agents",
  program: "cli",
  cwd: "/",
  startedAt: "2026-03-02T12:00:00.000Z",
  subject: null,
  isHost: false,
  members: [],
  cpuMs: 0,
  memoryBytes: 0,
  ...fields,
});

test("what a program used between two looks is a share of that time", () => {
  const history = new UsageHistory();
  history.add(0, [makeProcess({ cpuMs: 900 })]);
  expect(history.percentOf(makeProcess({}))).toBe(0);
  const samples = history.add(2_000, [
    makeProcess({ cpuMs: 1_900, memoryBytes: 10 }),
    makeProcess({ pid: 8, cpuMs: 500, memoryBytes: 5 }),
  ]);
  expect(history.percentOf(makeProcess({}))).toBe(50);
  expect(history.percentOf(makeProcess({ pid: 8 }))).toBe(0);
  expect(samples.at(-1)?.cpuPercent.get("agents")).toBe(50);
  expect(samples.at(-1)?.memoryBytes.get("agents")).toBe(15);
});

test("another process with the same number begins at 0, and none is below it", () => {
  const history = new UsageHistory();
  history.add(0, [makeProcess({ cpuMs: 900 })]);
  const other = makeProcess({ startedAt: "2026-03-02T12:00:01.000Z" });
  history.add(2_000, [{ ...other, cpuMs: 100 }]);
  expect(history.percentOf(other)).toBe(0);
  history.add(4_000, [{ ...other, cpuMs: 50 }]);
  expect(history.percentOf(other)).toBe(0);
});

test("no more than 150 looks are remembered", () => {
  const history = new UsageHistory();
  for (let at = 0; at < 200; at++) history.add(at * 1_000, []);
  const samples = history.add(200_000, []);
  expect(samples).toHaveLength(150);
  expect(samples[0]?.at).toBe(51_000);
});
