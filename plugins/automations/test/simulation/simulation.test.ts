import { runs } from "@gantry/build/testing";
import { expect, test } from "vitest";
import { simulateReal } from "./simulate-real.ts";
import { describeSummary, givenSeed, simulate } from "./simulate.ts";
import type { Summary } from "./simulate.ts";

/** The edges that are hardest, and zones without any. */
const ZONES = [
  "Australia/Lord_Howe",
  "America/Havana",
  "Pacific/Apia",
  "America/New_York",
  "Asia/Kathmandu",
];
/** One that has found something; the long suite takes another one each time. */
const SEED = givenSeed() ?? 1_349_081_847;
const SLOTS = runs(15_000);
const REAL_SLOTS = runs(400);

function expectFlawless(summary: Summary): void {
  const { lost, doubled, silent, wrong } = summary;
  const flaws = [...lost, ...doubled, ...silent, ...wrong];
  expect(flaws.length, describeSummary(summary)).toBe(0);
}

test("through downtime, sleep, clocks that jump, slow runs and changes, no slot is lost, doubled or passed over in silence", () => {
  const summary = simulate(SEED, ZONES, SLOTS);
  expectFlawless(summary);
  expect(summary.slots).toBeGreaterThanOrEqual(SLOTS);
});

test(
  "nor by the plugin itself, with its store and its routes",
  { tags: "thorough" },
  async () => {
    expectFlawless(await simulateReal(SEED, ZONES, REAL_SLOTS));
  },
);
