import { expect, test } from "vitest";
import { fileIcon, fileKind } from "../../ui/files/fileKind.ts";

test.each([
  ["a.PNG", { view: "image" }],
  ["a.b/README.md", { view: "text", preview: "markdown" }],
  ["a.svg", { view: "text", preview: "image" }],
  ["Makefile", { view: "text" }],
  ["a.constructor", { view: "text" }],
  ["a.__proto__", { view: "text" }],
  ["a.toString", { view: "text" }],
])("%s is shown as what its ending says", (path, kind) => {
  expect(fileKind(path)).toEqual(kind);
  expect(fileIcon(path)).toMatch(/^i-lucide-/);
});
