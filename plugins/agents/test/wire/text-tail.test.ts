import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { TextTail } from "../../src/wire/text-tail.ts";

test("keeps exactly the end, however it comes", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "grapheme-ascii", maxLength: 40 })),
      fc.integer({ min: 1, max: 100 }),
      (pieces, limit) => {
        const tail = new TextTail(limit);
        for (const piece of pieces) tail.push(Buffer.from(piece));
        expect(tail.text()).toBe(pieces.join("").slice(-limit).trim());
      },
    ),
  );
});

test("many small pieces are kept too", () => {
  const tail = new TextTail(3000);
  for (let count = 0; count < 10_000; count += 1)
    tail.push(Buffer.from(String(count % 10)));
  expect(tail.text()).toBe("0123456789".repeat(300));
});

test("copies what is pushed a few times at most, and not what is kept with each piece", () => {
  const tail = new TextTail(256 * 1024);
  let copied = 0;
  const spy = vi.spyOn(Buffer, "concat").mockImplementation(((
    list: Buffer[],
  ) => {
    copied += list.reduce((sum, { length }) => sum + length, 0);
    return Buffer.from(list.flatMap((piece) => [...piece]));
  }) as typeof Buffer.concat);
  onTestFinished(() => spy.mockRestore());
  const pushed = 4 * 1024 * 1024;
  const piece = Buffer.alloc(1024);
  for (let bytes = 0; bytes < pushed; bytes += piece.length) tail.push(piece);
  expect(copied).toBeLessThan(2 * pushed);
});
