import { expect, expectTypeOf, test } from "vitest";
import { bytes, eventStream, headersOf, withHeaders } from "../src/index.ts";

test("headers go with an answer, and are no part of its data", () => {
  const answer = withHeaders({ ok: true }, { "set-cookie": "a=b" });
  expect(headersOf(answer)).toEqual({ "set-cookie": "a=b" });
  expect(JSON.stringify(answer)).toBe('{"ok":true}');
  expect(Object.keys(answer)).toEqual(["ok"]);
  expectTypeOf(answer).toEqualTypeOf<{ ok: boolean }>();
});

test("headers that are added later join those from before, and win over them", () => {
  const first = withHeaders({ ok: true }, { "x-a": "1", "x-b": "1" });
  const second = withHeaders(first, { "x-b": "2", "x-c": "2" });
  expect(headersOf(second)).toEqual({ "x-a": "1", "x-b": "2", "x-c": "2" });
});

test("headers are found on an answer of another bundle", () => {
  const answer = { [Symbol.for("gantry.answer-headers")]: { "x-a": "1" } };
  expect(headersOf(answer)).toEqual({ "x-a": "1" });
});

test.each([[{}], [[]], [null], [undefined], ["text"], [7]])(
  "%j has no headers",
  (answer) => {
    expect(headersOf(answer)).toBeUndefined();
  },
);

test("bytes say their media type", () => {
  const body = new Uint8Array([1, 2]);
  expect(bytes("image/png", body)).toEqual({
    kind: "bytes",
    mediaType: "image/png",
    body,
  });
  expect(bytes("text/plain", "a", { "x-a": "1" })).toEqual({
    kind: "bytes",
    mediaType: "text/plain",
    body: "a",
    headers: { "x-a": "1" },
  });
});

test("a stream is not opened by saying what it sends", () => {
  const answer = eventStream(() => {
    throw new Error("opened");
  });
  expect(answer.kind).toBe("event-stream");
  expect(answer.open).toThrow("opened");
});
