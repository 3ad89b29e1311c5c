import { expect, test } from "vitest";
import { createKeyedLock } from "../src/index.ts";

test("work on one key has its turn in order, also after work that failed; another key does not wait", async () => {
  const lock = createKeyedLock();
  const said: string[] = [];
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const first = lock.run("a", async () => {
    await held;
    said.push("first");
    throw new Error("It broke.");
  });
  const second = lock.run("a", async () => {
    said.push("second");
    return 2;
  });
  await lock.run("b", async () => void said.push("other"));
  expect(said).toEqual(["other"]);
  release();
  await expect(first).rejects.toThrow("It broke.");
  expect(await second).toBe(2);
  expect(said).toEqual(["other", "first", "second"]);
});
