import { expect, it } from "vitest";
import { costGrowth, MAX_LINEAR_GROWTH } from "../src/testing.ts";

function countSteps(rounds: number, steps: number): number {
  let sum = 0;
  for (let round = 0; round < rounds; round += 1)
    for (let step = 0; step < steps; step += 1) sum += round ^ step;
  return sum;
}

it("tells linear work from quadratic work", async () => {
  expect(await costGrowth((size) => countSteps(size, 400), 400)).toBeLessThan(
    MAX_LINEAR_GROWTH,
  );
  expect(
    await costGrowth((size) => countSteps(size, size), 400),
  ).toBeGreaterThan(2 * MAX_LINEAR_GROWTH);
});
