import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createPacer } from "../../ui/live/createPacer.ts";
import {
  createClickCounter,
  toPagePoint,
  toWheelPixels,
} from "../../ui/live/pointerMessages.ts";
import type {
  MouseMessage,
  ViewerMessage,
} from "../../ui/live/viewMessages.ts";

const mouse = (fields: Partial<MouseMessage>): MouseMessage => ({
  type: "mouse",
  kind: "move",
  x: 0,
  y: 0,
  button: 0,
  buttons: 0,
  clicks: 0,
  deltaX: 0,
  deltaY: 0,
  modifiers: 0,
  ...fields,
});

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test("a point of a picture that is shown smaller is a point of the page", () => {
  const picture = { left: 100, top: 50, width: 640, height: 400 };
  const page = { width: 1280, height: 800 };
  expect(toPagePoint({ clientX: 420, clientY: 250 }, picture, page)).toEqual({
    x: 640,
    y: 400,
  });
  // A captured pointer may leave the picture, but its position stays inside the page.
  expect(toPagePoint({ clientX: 0, clientY: 9_000 }, picture, page)).toEqual({
    x: 0,
    y: 799,
  });
});

test("presses in one place count up, others start again at one", () => {
  const count = createClickCounter();
  const press = { clientX: 5, clientY: 5, button: 0, timeStamp: 0 };
  expect(count(press)).toBe(1);
  expect(count({ ...press, timeStamp: 200, clientX: 7 })).toBe(2);
  expect(count({ ...press, timeStamp: 400 })).toBe(3);
  expect(count({ ...press, timeStamp: 1_200 })).toBe(1);
  expect(count({ ...press, timeStamp: 1_300, button: 2 })).toBe(1);
  expect(count({ ...press, timeStamp: 1_400, button: 2, clientX: 80 })).toBe(1);
});

test("a wheel that counts lines or pages is turned into pixels", () => {
  const turn = { deltaX: 0, deltaY: 3 };
  expect(toWheelPixels({ ...turn, deltaMode: 0 }, 800).deltaY).toBe(3);
  expect(toWheelPixels({ ...turn, deltaMode: 1 }, 800).deltaY).toBe(48);
  expect(toWheelPixels({ ...turn, deltaMode: 2 }, 800).deltaY).toBe(2_400);
});

test("the first move goes out at once, of the following ones the last", () => {
  const sent: ViewerMessage[] = [];
  const pacer = createPacer((message) => sent.push(message));
  for (const x of [1, 2, 3]) pacer.soon(mouse({ x }));
  expect(sent).toEqual([mouse({ x: 1 })]);
  vi.advanceTimersByTime(40);
  expect(sent).toEqual([mouse({ x: 1 }), mouse({ x: 3 })]);
  vi.advanceTimersByTime(1_000);
  expect(sent).toHaveLength(2);
});

test("a press comes after the move before it", () => {
  const sent: ViewerMessage[] = [];
  const pacer = createPacer((message) => sent.push(message));
  pacer.soon(mouse({ x: 1 }));
  pacer.soon(mouse({ x: 2 }));
  pacer.now(mouse({ kind: "down", x: 2 }));
  expect(sent).toEqual([
    mouse({ x: 1 }),
    mouse({ x: 2 }),
    mouse({ kind: "down", x: 2 }),
  ]);
});

test("no turn of a wheel is lost", () => {
  const sent: ViewerMessage[] = [];
  const pacer = createPacer((message) => sent.push(message));
  for (let turn = 0; turn < 10; turn += 1) {
    pacer.soon(mouse({ kind: "wheel", deltaY: 10 }));
    pacer.soon(mouse({ x: turn }));
  }
  vi.advanceTimersByTime(100);
  const turns = sent.filter((message) => message.type === "mouse");
  expect(turns.reduce((sum, { deltaY }) => sum + deltaY, 0)).toBe(100);
  expect(sent.length).toBeLessThan(4);
});
