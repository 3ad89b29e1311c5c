import { expect, test } from "vitest";
import { describeTools } from "../../src/tools/catalogue.ts";

const READ = [
  "browser_snapshot",
  "browser_screenshot",
  "browser_find",
  "browser_wait",
];
const ACT = [
  "browser_navigate",
  "browser_viewport",
  "browser_dialog",
  "browser_click",
  "browser_type",
  "browser_press",
  "browser_select",
  "browser_scroll",
  "browser_upload",
];
const FULL = ["browser_evaluate", "browser_protocol"];

test.for([
  ["none", []],
  ["read", READ],
  ["act", [...READ, ...ACT]],
  ["full", [...READ, ...ACT, ...FULL]],
] as const)("%s has its tools and no others", ([tier, names]) => {
  expect(describeTools(tier).map(({ name }) => name)).toEqual(names);
});

test("the list is short, since every session of an agent pays for it", () => {
  const size = JSON.stringify(describeTools("act")).length;
  expect(size).toBeLessThanOrEqual(5500);
  expect(JSON.stringify(describeTools("full")).length).toBeLessThanOrEqual(
    6200,
  );
});

test("every tool takes an object and says whether it only reads", () => {
  for (const { name, inputSchema, annotations } of describeTools("full")) {
    expect(inputSchema.type, name).toBe("object");
    expect(annotations.readOnlyHint, name).toBe(READ.includes(name));
  }
});
