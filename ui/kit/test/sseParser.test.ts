import fc from "fast-check";
import { expect, test } from "vitest";
import { createSseParser } from "../src/events/sseParser.ts";

const text = [
  ": a comment\n\n",
  'id: 7\r\nevent: notes.note-added\r\ndata: {"a":1}\r\n\r\n',
  "data: two\ndata: lines\n\n",
  "data:no space\rid: 8\r\r",
  "event: nothing\n\n",
  "id: bad\0id\ndata: kept\n\n",
  "unknown: field\ndata\n\n",
].join("");

const messages = [
  { id: "7", event: "notes.note-added", data: '{"a":1}' },
  { id: "7", event: "message", data: "two\nlines" },
  { id: "8", event: "message", data: "no space" },
  { id: "8", event: "message", data: "kept" },
  { id: "8", event: "message", data: "" },
];

test("gives the messages of a stream, wherever it is cut", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 1, max: text.length - 1 })),
      (cuts) => {
        const parse = createSseParser();
        const places = [
          0,
          ...cuts.sort((one, other) => one - other),
          text.length,
        ];
        const pieces = places
          .slice(1)
          .map((end, index) => text.slice(places[index], end));
        expect(pieces.flatMap((piece) => parse(piece))).toEqual(messages);
      },
    ),
  );
});

test("keeps back a message that is not complete", () => {
  const parse = createSseParser();
  expect(parse("data: one\n")).toEqual([]);
  expect(parse("\n")).toEqual([{ id: "", event: "message", data: "one" }]);
});
