import type { Point } from "./viewMessages.ts";
import type { Size } from "./viewport.ts";

/** Held modifier keys, as bits of the DevTools protocol. */
export function toModifiers(event: {
  altKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
  shiftKey: boolean;
}): number {
  return (
    (event.altKey ? 1 : 0) |
    (event.ctrlKey ? 2 : 0) |
    (event.metaKey ? 4 : 0) |
    (event.shiftKey ? 8 : 0)
  );
}

/** Converts a point of the screen into a point of the page. */
export function toPagePoint(
  event: { clientX: number; clientY: number },
  picture: { left: number; top: number; width: number; height: number },
  page: Size,
): Point {
  const along = (at: number, from: number, shown: number, whole: number) =>
    shown === 0
      ? 0
      : Math.min(whole - 1, Math.max(0, ((at - from) * whole) / shown));
  return {
    x: along(event.clientX, picture.left, picture.width, page.width),
    y: along(event.clientY, picture.top, picture.height, page.height),
  };
}

const MAX_CLICK_GAP_MS = 500;
const MAX_CLICK_DISTANCE = 5;

/** Counts consecutive presses in one place, which pointer events do not report. */
export function createClickCounter(): (press: {
  clientX: number;
  clientY: number;
  button: number;
  timeStamp: number;
}) => number {
  let last = { clientX: 0, clientY: 0, button: -1, timeStamp: -Infinity };
  let count = 0;
  return (press) => {
    const isSame =
      press.button === last.button &&
      press.timeStamp - last.timeStamp <= MAX_CLICK_GAP_MS &&
      Math.hypot(press.clientX - last.clientX, press.clientY - last.clientY) <=
        MAX_CLICK_DISTANCE;
    count = isSame ? count + 1 : 1;
    last = press;
    return count;
  };
}

const LINE_HEIGHT = 16;

/** Wheel movement in CSS pixels. */
export function toWheelPixels(
  event: { deltaX: number; deltaY: number; deltaMode: number },
  pageHeight: number,
): { deltaX: number; deltaY: number } {
  const unit =
    event.deltaMode === 1
      ? LINE_HEIGHT
      : event.deltaMode === 2
        ? pageHeight
        : 1;
  return { deltaX: event.deltaX * unit, deltaY: event.deltaY * unit };
}
