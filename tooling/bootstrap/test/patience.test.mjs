import { expect, it } from "vitest";
import { measurePatience, readPatience, toPatience } from "../patience.mjs";

it.each([
  [0, 3],
  [300, 3],
  [600, 6],
  [621, 6],
  [1_200, 12],
  [60_000, 12],
])("a sample of %d ms means %d times as long", (sampleMs, patience) => {
  expect(toPatience(sampleMs)).toBe(patience);
});

it("is measured within its bounds", () => {
  const patience = measurePatience();
  expect(patience).toBeGreaterThanOrEqual(3);
  expect(patience).toBeLessThanOrEqual(12);
});

it.each([
  [{ GANTRY_PATIENCE: "5" }, 5],
  [{ GANTRY_PATIENCE: "4.4" }, 4],
  [{}, 3],
  [{ GANTRY_PATIENCE: "1" }, 3],
  [{ GANTRY_PATIENCE: "long" }, 3],
])("is read from %j", (env, patience) => {
  expect(readPatience(env)).toBe(patience);
});
