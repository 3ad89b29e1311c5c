import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { cpuCostOf } from "../src/testing.ts";

const spin = (times: number) => () => {
  let text = "";
  for (let index = 0; index < times; index += 1)
    text = `${index}${text.length}`;
};

test("work costs what it computes, and waiting costs nothing", async () => {
  await cpuCostOf(spin(100_000));
  const little = await cpuCostOf(spin(500_000));
  const much = await cpuCostOf(spin(8_000_000));
  expect(much).toBeGreaterThan(4 * little);
  expect(await cpuCostOf(() => sleep(200))).toBeLessThan(much);
});
