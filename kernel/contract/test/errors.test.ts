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
  NOTES_CLOSED: { status: 409, title: "Closed", detail: "Open {constructor}." },
  NOTES_FULL: { status: 409, title: "Full", detail: 'Send {"all": true}.' },
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
    "NOTES_FULL",
  ]);
  expectTypeOf(errors.definitions.NOTES_CLOSED.status).toEqualTypeOf<409>();
});

test("a name without a value stays as it is, also one that every object inherits", () => {
  // @ts-expect-error -- two values are missing
  const error = errors.NOTE_NOT_FOUND({ id: 1 });
  expect(error.message).toContain("among {count}");
  // @ts-expect-error -- a value is missing
  expect(errors.NOTES_CLOSED().message).toBe("Open {constructor}.");
});

test("an error takes exactly the values that its detail names", () => {
  expectTypeOf(errors.NOTE_NOT_FOUND).parameter(0).toEqualTypeOf<{
    readonly id: ErrorValue;
    readonly count: ErrorValue;
    readonly ways: ErrorValue;
  }>();
  const values = { id: "not_a", count: 1, ways: "GET" };
  // @ts-expect-error -- the detail has no such name
  errors.NOTE_NOT_FOUND({ ...values, name: "Milk" });
  // @ts-expect-error -- an object would read as "[object Object]", and a missing value as "undefined"
  errors.NOTE_NOT_FOUND({ ...values, id: { value: 1 } });
  // @ts-expect-error -- a value that may be missing
  errors.NOTE_NOT_FOUND({ ...values, id: [undefined][0] });
  expect(errors.NOTES_FULL().message).toBe('Send {"all": true}.');
  expect(errors.NOTES_FULL({}, { retryAfter: 1 }).extras.retryAfter).toBe(1);
  // @ts-expect-error -- the detail needs no values
  errors.NOTES_FULL({ id: "not_a" });
});

test("a detail that is computed takes any values, since its names are not known", () => {
  const table = defineErrors({
    NOTE_OLD: { status: 409, title: "Old", detail: String("Not {id}.") },
  });
  expect(table.NOTE_OLD({ id: 1 }).message).toBe("Not 1.");
  expect(table.NOTE_OLD().message).toBe("Not {id}.");
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
  const error = errors.NOTES_FULL({}, { cause, retryAfter: 3 });
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
  expect(isGantryError(errors.NOTES_FULL())).toBe(true);
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
