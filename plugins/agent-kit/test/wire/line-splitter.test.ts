import fc from "fast-check";
import { expect, test } from "vitest";
import { LineSplitter } from "../../src/wire/line-splitter.ts";

const encoder = new TextEncoder();

function split(bytes: Uint8Array, cuts: readonly number[], cap: number) {
  const splitter = new LineSplitter(cap, Math.min(cap, 8));
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort(
    (left, right) => left - right,
  );
  const lines = [];
  let start = 0;
  for (const end of [...places, bytes.length]) {
    // The reader's chunks share memory that is overwritten.
    const chunk = bytes.slice(start, end);
    lines.push(...splitter.push(chunk));
    chunk.fill(0x2a);
    start = end;
  }
  return [...lines, ...splitter.end()];
}

test("lines are complete, however the bytes are split", () => {
  const line = fc
    .string({ unit: "binary", maxLength: 40 })
    .map((text) => text.replace(/[\n\r]/g, ""));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat()), (lines, cuts) => {
      const bytes = encoder.encode(lines.map((text) => `${text}\n`).join(""));
      const expected = lines.map((text) =>
        new TextDecoder("utf-8", { ignoreBOM: true }).decode(
          encoder.encode(text),
        ),
      );
      expect(split(bytes, cuts, 1024)).toEqual(
        expected.map((text) => ({ kind: "line", text })),
      );
    }),
  );
});

test("random bytes give the same lines whether they come at once or one by one", () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 200 }),
      fc.array(fc.nat()),
      fc.integer({ min: 1, max: 60 }),
      (bytes, cuts, cap) => {
        expect(split(bytes, cuts, cap)).toEqual(split(bytes, [], cap));
      },
    ),
  );
});

test("a line over the limit keeps its beginning and length, and the next one is complete", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 33, max: 500 }),
      fc.array(fc.nat()),
      (length, cuts) => {
        const bytes = encoder.encode(`${"x".repeat(length)}\nnext\n`);
        expect(split(bytes, cuts, 32)).toEqual([
          {
            kind: "oversized",
            head: "x".repeat(8),
            tail: "x".repeat(8),
            fields: new Map(),
            bytes: length,
          },
          { kind: "line", text: "next" },
        ]);
      },
    ),
  );
});

test("only LF ends a line", () => {
  const text = '{"text":"a\u2028b\u2029c\u0085d"}';
  expect(split(encoder.encode(`${text}\r\n`), [], 1024)).toEqual([
    { kind: "line", text },
  ]);
});

test("the last line needs no end", () => {
  expect(split(encoder.encode("one\ntwo"), [3], 1024)).toEqual([
    { kind: "line", text: "one" },
    { kind: "line", text: "two" },
  ]);
});
