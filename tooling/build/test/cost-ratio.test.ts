import { expect, it } from "vitest";
import { costGrowth, MAX_LINEAR_GROWTH } from "../src/testing.ts";

function countSteps(rounds: number, steps: number): number {
  let sum = 0;
  for (let round = 0; round < rounds; round += 1)
    for (let step = 0; step < steps; step += 1) sum += round ^ step;
  return sum;
}

it("tells linear work from quadratic work", async () => {
  const same = (size: number) => size;
  const growth = await costGrowth(same, (size) => countSteps(size, 400), 400);
  expect(growth).toBeLessThan(MAX_LINEAR_GROWTH);
  const square = await costGrowth(same, (size) => countSteps(size, size), 400);
  expect(square).toBeGreaterThan(2 * MAX_LINEAR_GROWTH);
});
