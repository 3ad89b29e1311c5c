import { expect, test } from "vitest";
import { isLinkWithin } from "../src/link-within.ts";

test.each([
  ["a", "b", true],
  ["a", "./b/../c", false],
  ["a", "b/c", true],
  ["a", ".", true],
  ["a", "..", false],
  ["x/a", "..", true],
  ["x/a", "../b/", true],
  ["x/a", "../../b", false],
  ["x/y/a", "../.././b", true],
  ["x/y/a", "z/../../b", false],
  ["a", "/etc", false],
  ["a", "C:/x", false],
  ["a", "b\\..\\c", false],
  ["a", "", false],
])("a link %s to %s", (path, target, isWithin) => {
  expect(isLinkWithin(path, target)).toBe(isWithin);
});
