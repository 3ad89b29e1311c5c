import { readFile, mkdir } from "node:fs/promises";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { describeError } from "../src/describe-error.ts";
import { defineErrors } from "../src/errors.ts";

const errors = defineErrors({
  NOTE_LOST: { status: 404, title: "Lost", detail: "The note {id} is lost." },
});

test("errors that were worded for users are repeated", () => {
  expect(describeError(errors.NOTE_LOST({ id: "x" }))).toBe(
    "The note x is lost.",
  );
  expect(describeError(new Error("It has closed its input."))).toBe(
    "It has closed its input.",
  );
  for (const thrown of ["text", 1, null, undefined])
    expect(describeError(thrown)).toBe(String(thrown));
});

test("the text of a system error contains neither its errno nor a path", async () => {
  const faults = await Promise.all([
    readFile("/nowhere/secret").catch((error: unknown) => error),
    mkdir("/proc/secret/x").catch((error: unknown) => error),
    readFile("/").catch((error: unknown) => error),
    new Promise((resolve) =>
      connect("/nowhere/secret.sock").once("error", resolve),
    ),
  ]);
  for (const fault of faults) {
    expect(String(fault)).toMatch(/secret|EISDIR/);
    expect(describeError(fault)).toMatch(/^[A-Z][^/]+\.$/);
    expect(describeError(fault)).not.toMatch(/\bE[A-Z]{3,}|secret/);
  }
  expect(describeError(faults[0])).toMatch(/not there/);
  const odd = { code: "toString", syscall: "open" };
  expect(describeError(Object.assign(new Error("/x"), odd))).toMatch(/refused/);
});
