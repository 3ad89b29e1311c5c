import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Courtesy } from "../../src/host/courtesy.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const CHUNK = 4096;

/** A program that writes as fast as it is let. */
function flood(courtesy: Courtesy, id: string) {
  let isWaiting = false;
  let written = 0;
  const goOn = () => {
    isWaiting = false;
    for (let chunk = 0; chunk < 1_000 && !isWaiting; chunk++) {
      written += CHUNK;
      isWaiting = courtesy.mustWait(id, CHUNK, goOn);
    }
  };
  return {
    goOn,
    get written() {
      return written;
    },
    get isWaiting() {
      return isWaiting;
    },
  };
}

test("a flood has no limit while the user types in no other terminal", () => {
  const courtesy = new Courtesy();
  const one = flood(courtesy, "one");
  one.goOn();
  expect(one.isWaiting).toBe(false);
  courtesy.typed("one");
  one.goOn();
  expect(one.isWaiting).toBe(false);
  expect(one.written).toBe(2_000 * CHUNK);
});

test("while the user types, all other terminals share one limit, and each of them makes progress", () => {
  const courtesy = new Courtesy();
  const floods = ["one", "two", "three"].map((id) => flood(courtesy, id));
  courtesy.typed("four");
  for (const { goOn } of floods) goOn();
  for (let ms = 0; ms < 1_000; ms += 10) {
    courtesy.typed("four");
    vi.advanceTimersByTime(10);
  }
  const written = floods.map((one) => one.written);
  const all = written.reduce((sum, one) => sum + one);
  expect(all).toBeGreaterThan(2_000_000);
  expect(all).toBeLessThan(8_000_000);
  expect(Math.min(...written)).toBeGreaterThan(all / 10);
});

test("a moment after the last key the flood is free again, and none is left waiting", () => {
  const courtesy = new Courtesy();
  const one = flood(courtesy, "one");
  courtesy.typed("other");
  one.goOn();
  expect(one.isWaiting).toBe(true);
  vi.advanceTimersByTime(600);
  expect(one.isWaiting).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});
