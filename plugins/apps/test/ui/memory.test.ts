import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createMemory } from "../../ui/palette/createMemory.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Something that is loaded when the test says so. */
function createSource() {
  const held: ((answer: string | Error) => void)[] = [];
  return {
    held,
    load: () =>
      new Promise<string>((resolve, reject) => {
        held.push((answer) =>
          answer instanceof Error ? reject(answer) : resolve(answer),
        );
      }),
  };
}

test("waits a moment for the first answer, and keeps it when it comes later", async () => {
  const memory = createMemory<string>(1000);
  const { held, load } = createSource();
  const late = memory.read("a", 100, load);
  await vi.advanceTimersByTimeAsync(100);
  expect(await late).toBeUndefined();
  const again = memory.read("a", 100, load);
  expect(held).toHaveLength(1);
  held[0]!("one");
  expect(await again).toBe("one");
  expect(memory.peek("a")).toBe("one");
  expect(memory.peek("b")).toBeUndefined();
});

test("gives what is old at once, and loads it again", async () => {
  const memory = createMemory<string>(1000);
  const { held, load } = createSource();
  const first = memory.read("a", 100, load);
  held[0]!("one");
  await first;
  await memory.read("a", 100, load);
  expect(held).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1000);
  expect(await memory.read("a", 100, load)).toBe("one");
  expect(held).toHaveLength(2);
  held[1]!("two");
  await vi.advanceTimersByTimeAsync(0);
  expect(memory.peek("a")).toBe("two");
});

test("a failure is no answer, and is tried again", async () => {
  const memory = createMemory<string>(1000);
  const { held, load } = createSource();
  const failed = memory.read("a", 100, load);
  held[0]!(new Error("broken"));
  expect(await failed).toBeUndefined();
  const second = memory.read("a", 100, load);
  held[1]!("one");
  expect(await second).toBe("one");
});
