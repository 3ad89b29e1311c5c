import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createFolder } from "./folder.mjs";

const RUN = readFileSync(new URL("../../../.ci/run", import.meta.url), "utf8");

/** Runs `.ci/run` of a checkout in which npm does this. */
function runCi(npm) {
  const folder = createFolder({
    ".ci/run": RUN,
    "bin/npm": `#!/bin/sh\n${npm}\n`,
    "artifacts/summary.txt": "an old one",
  });
  const { stdout, status } = spawnSync(join(folder, ".ci/run"), {
    cwd: "/",
    env: { PATH: `${join(folder, "bin")}:${process.env.PATH}` },
    encoding: "utf8",
  });
  return { lines: stdout.trim().split("\n"), status };
}

it("runs npm test in the root of the checkout, as CI", () => {
  const { lines, status } = runCi(
    'echo "$* in $(ls -d bin), CI=$CI"; touch artifacts/summary.txt',
  );
  expect(lines).toEqual(["test --silent in bin, CI=true"]);
  expect(status).toBe(0);
});

it("ends with the numbers and the exit code of the tests", () => {
  const { lines, status } = runCi(
    'touch artifacts/summary.txt; echo "3 passed, 1 failed"; exit 1',
  );
  expect(lines.at(-1)).toBe("3 passed, 1 failed");
  expect(status).toBe(1);
});

it("ends with a failure when it does not come as far as the tests", () => {
  const { lines, status } = runCi("exit 0");
  expect(lines.at(-1)).toBe("0 passed, 1 failed");
  expect(status).toBe(1);
});
