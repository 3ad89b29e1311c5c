import { expect, test } from "vitest";
import { simulateReal } from "../simulation/simulate-real.ts";
import {
  chooseSeed,
  describeSummary,
  simulate,
} from "../simulation/simulate.ts";
import type { Summary } from "../simulation/simulate.ts";

const SLOTS = 1_000_000;
const REAL_SLOTS = 20_000;
/** Every zone that this machine knows. */
const zones = Intl.supportedValuesOf("timeZone");

function expectFlawless(summary: Summary): void {
  const { lost, doubled, silent, wrong } = summary;
  const text = describeSummary(summary);
  console.log(text);
  expect([...lost, ...doubled, ...silent, ...wrong].length, text).toBe(0);
}

test("a million slots in every zone: none is lost, doubled or passed over in silence", () => {
  expect(zones.length).toBeGreaterThan(400);
  const summary = simulate(chooseSeed(), zones, SLOTS);
  expectFlawless(summary);
  expect(summary.slots).toBeGreaterThanOrEqual(SLOTS);
});

test("nor by the plugin itself", async () => {
  const summary = await simulateReal(chooseSeed(), zones, REAL_SLOTS);
  expectFlawless(summary);
});
