import fc from "fast-check";
import { expect, expectTypeOf, test } from "vitest";
import { defineErrors, GantryError, isGantryError } from "../src/index.ts";
import type { ErrorValue } from "../src/index.ts";

const errors = defineErrors({
  NOTE_NOT_FOUND: {
    status: 404,
    title: "No such note",
    detail: "There is no note {id} among {count}; list them with {ways}.",
  },
  NOTES_CLOSED: { status: 409, title: "Closed", detail: "Open them first." },
  NOTES_SHUT: { status: 409, title: "Shut", detail: "Open {constructor}." },
});

test("a row of the table becomes an error with its code, status, title and filled detail", () => {
  const error = errors.NOTE_NOT_FOUND({
    id: "not_a",
    count: 0,
    ways: ["GET /api/notes", "the page"],
  });
  expect(error).toMatchObject({
    name: "GantryError",
    code: "NOTE_NOT_FOUND",
    status: 404,
    title: "No such note",
    message:
      "There is no note not_a among 0; list them with GET /api/notes, the page.",
    extras: {},
  });
  expect(error).toBeInstanceOf(Error);
  expectTypeOf(errors).not.toHaveProperty("NOTE_MISSING");
});

test("the definitions stay readable for the reference page", () => {
  expect(Object.keys(errors.definitions)).toEqual([
    "NOTE_NOT_FOUND",
    "NOTES_CLOSED",
    "NOTES_SHUT",
  ]);
  expectTypeOf(errors.definitions.NOTES_CLOSED.status).toEqualTypeOf<409>();
});

test("a name without a value stays as it is, also one that every object inherits", () => {
  // @ts-expect-error -- a placeholder without a value
  expect(errors.NOTE_NOT_FOUND({ id: 1 }).message).toContain("among {count}");
  // @ts-expect-error -- a placeholder without a value
  expect(errors.NOTES_SHUT().message).toBe("Open {constructor}.");
});

test("whatever a value holds appears once and is never read as a template", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.constantFrom("{count}", "$&", "$1", "{id}", "{ways}"),
      ),
      (id) => {
        expect(
          errors.NOTE_NOT_FOUND({ id, count: 3, ways: "asking" }).message,
        ).toBe(`There is no note ${id} among 3; list them with asking.`);
      },
    ),
  );
});

test("the fault behind an error is its cause", () => {
  const cause = new Error("disk on fire");
  const error = errors.NOTES_CLOSED({}, { cause, retryAfter: 3 });
  expect(error.cause).toBe(cause);
  expect(error.extras).toEqual({ cause, retryAfter: 3 });
});

test.each([
  "notes",
  "Note_Gone",
  "NOTE",
  "_NOTE_GONE",
  "NOTE__GONE",
  "1_A",
  "",
])("%j is no code of an error, and the table says so", (code) => {
  const row = { status: 400, title: "Bad", detail: "Bad." };
  expect(() => defineErrors({ [code]: row })).toThrow(
    new TypeError(`Error code "${code}" is not of the form AREA_REASON.`),
  );
});

test("an error is known whichever bundle made it", () => {
  class GantryErrorOfAnotherBundle extends Error {
    override name = "GantryError";
    code = "NOTE_NOT_FOUND";
  }
  expect(isGantryError(errors.NOTES_CLOSED())).toBe(true);
  expect(isGantryError(new GantryErrorOfAnotherBundle())).toBe(true);
});

test("what only looks like one of our errors is none", () => {
  const systemError = Object.assign(new Error("gone"), { code: "ENOENT" });
  const withoutCode = Object.assign(new Error("x"), { name: "GantryError" });
  const row = errors.definitions.NOTES_CLOSED;
  const plain = { ...new GantryError("NOTES_CLOSED", row, "x") };
  for (const value of [systemError, withoutCode, plain, "NOTES_CLOSED", null]) {
    expect(isGantryError(value)).toBe(false);
  }
});

test("an error takes exactly the placeholders of its detail", () => {
  const values = { id: "not_a", count: 2, ways: ["a", "b"] };
  expectTypeOf(errors.NOTE_NOT_FOUND).parameter(0).toEqualTypeOf<{
    readonly id: ErrorValue;
    readonly count: ErrorValue;
    readonly ways: ErrorValue;
  }>();
  expect(errors.NOTE_NOT_FOUND(values).message).not.toContain("{");
  // @ts-expect-error -- a name that the detail does not have
  errors.NOTE_NOT_FOUND({ ...values, color: "red" });
  // @ts-expect-error -- an object is not readable in a sentence
  errors.NOTE_NOT_FOUND({ ...values, id: {} });
  // @ts-expect-error -- a value that may be missing
  errors.NOTE_NOT_FOUND({ ...values, id: undefined });
  // @ts-expect-error -- a detail without placeholders takes no values
  errors.NOTES_CLOSED({ id: "not_a" });
  expect(errors.NOTES_CLOSED({}, { retryAfter: 1 }).extras.retryAfter).toBe(1);
});

test("a detail that is only known as a string takes any values", () => {
  const detail: string = "There is no {thing}.";
  const table = defineErrors({
    THING_NOT_FOUND: { status: 404, title: "None", detail },
  });
  expect(table.THING_NOT_FOUND({ thing: "note" }).message).toBe(
    "There is no note.",
  );
  expect(table.THING_NOT_FOUND().message).toBe(detail);
});

test("braces that are doubled are part of the text", () => {
  const { NOTE_TOO_LARGE } = defineErrors({
    NOTE_TOO_LARGE: {
      status: 413,
      title: "Too large",
      detail: "{name} is too large; get it with GET /api/notes/{{id}}/raw.",
    },
  });
  expect(NOTE_TOO_LARGE({ name: "Milk {{id}}" }).message).toBe(
    "Milk {{id}} is too large; get it with GET /api/notes/{id}/raw.",
  );
  // @ts-expect-error -- what is doubled is no placeholder
  NOTE_TOO_LARGE({ name: "Milk", id: "not_a" });
});

test("JSON in a detail is text", () => {
  const { NOTES_OFF } = defineErrors({
    NOTES_OFF: {
      status: 409,
      title: "Off",
      detail: 'Switch them on with {"notes": true} first.',
    },
  });
  expect(NOTES_OFF().message).toContain('{"notes": true}');
});
