import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Gatherer } from "../../src/host/gatherer.ts";
import { BYTES_HEAD_BYTES } from "../../src/wire/frames.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function gather() {
  const delivered: Buffer[] = [];
  const gatherer = new Gatherer((pieces) =>
    delivered.push(Buffer.concat(pieces)),
  );
  return {
    gatherer,
    sizes: () => delivered.map(({ length }) => length),
    text: () => Buffer.concat(delivered).toString(),
  };
}

test("the echo of one key after the other is delivered in the turn in which it comes", () => {
  const { gatherer, sizes } = gather();
  for (let key = 1; key <= 100; key++) {
    gatherer.add(Buffer.from("x"));
    expect(sizes()).toHaveLength(key);
    vi.advanceTimersByTime(1);
  }
});

test("a flood begins at once and continues in few large pieces, in order and whole", () => {
  const { gatherer, sizes, text } = gather();
  const chunks = Array.from({ length: 400 }, (_, index) =>
    Buffer.from(String(index % 10).repeat(4096)),
  );
  gatherer.add(chunks[0]!);
  expect(sizes()).toEqual([4096]);
  for (const [index, chunk] of chunks.slice(1).entries()) {
    gatherer.add(chunk);
    if (index % 50 === 0) vi.advanceTimersByTime(1);
  }
  vi.advanceTimersByTime(4);
  expect(text()).toBe(Buffer.concat(chunks).toString());
  expect(sizes().length).toBeLessThan(50);
  expect(Math.max(...sizes())).toBeLessThanOrEqual(64 * 1024);
});

test("the end of what came in a flood waits for no more of it", () => {
  const { gatherer, text } = gather();
  gatherer.add(Buffer.alloc(20_000, "a"));
  expect(text()).toBe("");
  vi.advanceTimersByTime(4);
  expect(text()).toHaveLength(20_000);
  gatherer.add(Buffer.alloc(20_000, "b"));
  gatherer.flush();
  expect(text()).toHaveLength(40_000);
  vi.advanceTimersByTime(100);
  expect(text()).toHaveLength(40_000);
});

test("what is longer than a frame is cut, and what came in very many chunks is one piece", () => {
  const frames: number[][] = [];
  const gatherer = new Gatherer((pieces) =>
    frames.push(pieces.map(({ length }) => length)),
  );
  const most = 64 * 1024 - BYTES_HEAD_BYTES;
  gatherer.add(Buffer.alloc(2 * most + 10_000));
  for (let chunk = 0; chunk < 1_000; chunk++) gatherer.add(Buffer.alloc(10));
  gatherer.flush();
  expect(frames).toEqual([[most], [most], [20_000]]);
});
