import { expect, test, vi } from "vitest";
import { createFramePainter } from "../../ui/live/createFramePainter.ts";
import type { FrameMessage } from "../../ui/live/viewMessages.ts";
import { toShownSize, toViewSize } from "../../ui/live/viewport.ts";

const frame = (number: number): FrameMessage => ({
  type: "frame",
  frame: number,
  width: 800,
  height: 600,
  format: "jpeg",
  still: false,
});

/** A painter whose decoding is controlled by the test. */
function createBench() {
  const decoding: { resolve(): void; reject(error: Error): void }[] = [];
  const drawn: number[] = [];
  const shown: number[] = [];
  const painter = createFramePainter({
    async decode() {
      await new Promise<void>((resolve, reject) =>
        decoding.push({ resolve, reject }),
      );
      return { width: 800, height: 600, close: () => {} };
    },
    draw: (_, { frame: number }) => drawn.push(number),
    shown: ({ frame: number }) => shown.push(number),
  });
  const send = (number: number) => {
    painter.announce(frame(number));
    painter.picture(new ArrayBuffer(4));
  };
  return { decoding, drawn, shown, painter, send };
}

test("of the frames that arrive while one is decoded, the newest is drawn", async () => {
  const { decoding, drawn, shown, send } = createBench();
  for (const number of [1, 2, 3, 4]) send(number);
  // Every frame is acknowledged, so that the daemon keeps sending.
  expect(shown).toEqual([2, 3]);
  decoding[0]!.resolve();
  await vi.waitFor(() => expect(decoding).toHaveLength(2));
  decoding[1]!.resolve();
  await vi.waitFor(() => expect(drawn).toEqual([1, 4]));
  expect(shown).toEqual([2, 3, 1, 4]);
});

test("a picture that cannot be decoded is passed over", async () => {
  const { decoding, drawn, shown, send } = createBench();
  send(1);
  decoding[0]!.reject(new Error("broken"));
  await vi.waitFor(() => expect(shown).toEqual([1]));
  send(2);
  decoding[1]!.resolve();
  await vi.waitFor(() => expect(drawn).toEqual([2]));
});

test("nothing is drawn or reported after the view has closed", async () => {
  const { decoding, drawn, shown, painter, send } = createBench();
  send(1);
  painter.close();
  decoding[0]!.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  expect([...drawn, ...shown]).toEqual([]);
});

test("a page fits its place, or has the size of a device", () => {
  const screen = { pixelRatio: 3, hasTouch: false };
  const place = { width: 1000.4, height: 700 };
  expect(toViewSize("fit", place, screen)).toEqual({
    width: 1000,
    height: 700,
    scale: 2,
    touch: false,
  });
  expect(toViewSize("phone", place, screen)).toMatchObject({
    width: 390,
    touch: true,
  });
  // A tiny area must not produce a tiny page.
  expect(toViewSize("fit", { width: 1, height: 1 }, screen)).toMatchObject({
    width: 240,
    height: 160,
  });
});

test("a picture is made smaller to fit, and larger only where the page is zoomed", () => {
  const place = { width: 640, height: 800 };
  const large = { width: 1280, height: 800 };
  const small = { width: 320, height: 200 };
  expect(toShownSize(large, place, large)).toEqual({ width: 640, height: 400 });
  expect(toShownSize(small, place, small)).toEqual(small);
  expect(toShownSize(small, place, { width: 480, height: 300 })).toEqual({
    width: 480,
    height: 300,
  });
});
