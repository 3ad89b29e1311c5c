import { expect, it } from "vitest";
import { createProgress } from "../build-daemon.mjs";

const LINES = [
  "• Running build in 10 packages",
  "@gantry/kernel:build: cache miss, executing 5d1f0c",
  "@gantry/kernel:build: $ tsup",
  "@gantry/shell:build: cache hit, replaying logs 77aa10",
];

function follow(isTTY) {
  let shown = "";
  const progress = createProgress({
    isTTY,
    write: (text) => (shown += text),
  });
  for (const line of LINES) progress.read(line);
  progress.end("Built in 30 s.");
  return shown;
}

it("shows in one line what is being built", () => {
  expect(follow(true).split("\r\u001b[K")).toEqual([
    "",
    "Building…",
    "Building… 1 of 10: kernel",
    "Building… 2 of 10: shell",
    "Built in 30 s.\n",
  ]);
});

it("is two lines where nothing can be written over", () => {
  expect(follow(false)).toBe("Building…\nBuilt in 30 s.\n");
});
