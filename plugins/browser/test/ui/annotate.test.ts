import { expect, test } from "vitest";
import { toCrop } from "../../ui/annotate/cropPicture.ts";

test("an element is cut out of the picture with a margin, as far as it is in it", () => {
  const page = { width: 800, height: 600 };
  const sharp = { width: 1600, height: 1200 };
  expect(toCrop(sharp, page, { x: 100, y: 50, width: 20, height: 10 })).toEqual(
    { x: 184, y: 84, width: 72, height: 52 },
  );
  expect(
    toCrop(sharp, page, { x: -500, y: 590, width: 9_000, height: 90 }),
  ).toEqual({ x: 0, y: 1164, width: 1600, height: 36 });
  for (const box of [
    { x: 900, y: 0, width: 10, height: 10 },
    { x: 0, y: -40, width: 10, height: 10 },
    { x: Number.NaN, y: 0, width: 10, height: 10 },
  ])
    expect(toCrop(sharp, page, box)).toBeUndefined();
});
