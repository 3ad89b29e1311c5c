import { expect, test } from "vitest";
import { interleave } from "../src/measure/rounds.ts";

test("everything is measured in each round, each second one backwards", async () => {
  const order: string[] = [];
  const measure = (name: string) => async () => order.push(name);
  const results = await interleave(
    { rounds: 3 },
    { ours: measure("ours"), theirs: measure("theirs") },
  );
  expect(order).toEqual(["ours", "theirs", "theirs", "ours", "ours", "theirs"]);
  expect(results).toEqual({ ours: [1, 4, 5], theirs: [2, 3, 6] });
});

test("nothing is measured any more once it is interrupted", async () => {
  const interrupted = new AbortController();
  const reason = new Error("enough");
  let count = 0;
  const measured = interleave(
    { rounds: 5, signal: interrupted.signal },
    {
      async one() {
        if (++count === 2) interrupted.abort(reason);
      },
    },
  );
  await expect(measured).rejects.toBe(reason);
  expect(count).toBe(2);
});
