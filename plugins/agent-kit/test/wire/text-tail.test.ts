import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { TextTail } from "../../src/wire/text-tail.ts";

test("keeps exactly the end, however the text is split", () => {
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

test("does not copy kept text once it has its full size", () => {
  const tail = new TextTail(256 * 1024);
  const piece = Buffer.alloc(1024);
  const push = (count: number) => {
    for (let at = 0; at < count; at += 1) tail.push(piece);
  };
  push(256);
  const spy = vi.spyOn(Buffer, "concat");
  onTestFinished(() => spy.mockRestore());
  push(4096);
  expect(spy).not.toHaveBeenCalled();
});
