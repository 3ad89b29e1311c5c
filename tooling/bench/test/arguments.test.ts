import { describe, expect, test } from "vitest";
import { readArguments, renderUsage } from "../src/arguments.ts";

const KNOWN = ["json", "store", "page"];

test("without arguments all is measured in five rounds", () => {
  expect(readArguments([], KNOWN)).toEqual({
    names: KNOWN,
    rounds: 5,
    seconds: 2,
    isQuick: false,
  });
});

test("what is named is measured, in the usual order and once", () => {
  const args = ["--only", "page", "--only", "json", "--only=page"];
  expect(readArguments(args, KNOWN)?.names).toEqual(["json", "page"]);
});

test("rounds and seconds are taken", () => {
  const args = ["--rounds", "9", "--seconds=3"];
  expect(readArguments(args, KNOWN)).toMatchObject({ rounds: 9, seconds: 3 });
});

test("small homes are used if asked", () => {
  expect(readArguments(["--quick"], KNOWN)?.isQuick).toBe(true);
});

describe("is not understood:", () => {
  test.each([
    [["--only", "nothing"]],
    [["--rounds", "0"]],
    [["--rounds", "many"]],
    [["--rounds", "1.5"]],
    [["--seconds", "-1"]],
    [["--seconds"]],
    [["--fast"]],
    [["--quick=yes"]],
    [["json"]],
  ])("%j", (args) => {
    expect(readArguments(args, KNOWN)).toBeUndefined();
  });
});

test("the usage names what there is", () => {
  expect(renderUsage(KNOWN)).toContain("json|store|page");
});
