import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { countResults, forgetResults } from "../test-results.mjs";
import { toSlowestTable } from "../slowest.mjs";
import { createFolder, write } from "./folder.mjs";

const test = (fullName, status, failureMessages = []) => ({
  fullName,
  status,
  failureMessages,
});
const file = (status, assertionResults, message = "") => ({
  name: "a.test.ts",
  startTime: 1_000,
  endTime: 1_000,
  status,
  message,
  assertionResults,
});
const task = (taskId, exitCode, directory = "kernel") => ({
  taskId,
  directory,
  execution: { exitCode },
  cache: { status: "MISS" },
});

function createRun(tasks, reports = {}) {
  const folder = createFolder({
    ".turbo/runs/1abc.json": { tasks: [] },
    ".turbo/runs/2abc.json": { tasks },
  });
  for (const [path, testResults] of Object.entries(reports)) {
    write(folder, `${path}/.turbo/test-report.json`, { testResults });
  }
  return folder;
}

it("counts the tests of all packages, and names what failed", () => {
  const folder = createRun(
    [
      task("@gantry/kernel#test", 1),
      task("@gantry/plugin-inbox#test", 0, "plugins/inbox"),
      task("//#test:bootstrap", 0, ""),
      task("@gantry/kernel#build", 0),
      task("//#lint", 1, ""),
    ],
    {
      kernel: [
        file("failed", [
          test("gate refuses", "failed", [
            "\u001B[31mError: 200\u001B[39m\n\n  at a.ts:1\n  at node:net:1",
          ]),
          test("gate lets pass", "passed"),
        ]),
      ],
      "plugins/inbox": [
        file("passed", [
          test("a", "passed"),
          test("b", "skipped"),
          test("c", "todo"),
        ]),
      ],
      "tooling/bootstrap": [file("passed", [test("a", "passed")])],
    },
  );
  expect(countResults(folder)).toMatchObject({
    passed: 3,
    skipped: 2,
    failures: [
      {
        name: "@gantry/kernel#test: gate refuses",
        reason: "Error: 200\n  at a.ts:1",
        taskId: "@gantry/kernel#test",
        file: "a.test.ts",
      },
      { name: "//#lint" },
    ],
  });
  const kept = join(folder, "artifacts/tests/gantry-kernel-test.json");
  expect(JSON.parse(readFileSync(kept, "utf8")).testResults).toHaveLength(1);
});

it("counts the tests of a task that came from the cache", () => {
  const folder = createRun(
    [
      {
        taskId: "@gantry/kernel#test",
        directory: "kernel",
        cache: { status: "HIT" },
      },
    ],
    {
      kernel: [file("passed", [test("a", "passed")])],
    },
  );
  expect(countResults(folder)).toMatchObject({
    passed: 1,
    skipped: 0,
    failures: [],
  });
});

it("counts a file that did not load as one failure", () => {
  const folder = createRun([task("@gantry/kernel#test", 1)], {
    kernel: [file("failed", [], "Cannot find module\n  at …")],
  });
  expect(countResults(folder).failures).toEqual([
    {
      name: "@gantry/kernel#test: a.test.ts did not run",
      reason: "Cannot find module\n  at …",
      taskId: "@gantry/kernel#test",
      file: "a.test.ts",
    },
  ]);
});

it("does not take passed tests for a success when the run failed", () => {
  const folder = createRun([task("@gantry/kernel#test", 1)], {
    kernel: [file("passed", [test("a", "passed")])],
  });
  expect(countResults(folder)).toMatchObject({
    passed: 1,
    skipped: 0,
    failures: [{ name: "@gantry/kernel#test: exit code 1, no failed test" }],
  });
});

it("does not take silence for a success", () => {
  expect(
    countResults(createRun([task("@gantry/kernel#test", 0)])).failures,
  ).toEqual([
    {
      name: "@gantry/kernel#test: left no report in kernel/.turbo/test-report.json",
    },
  ]);
  expect(countResults(createFolder()).failures).toEqual([
    { name: "turbo: did not run" },
  ]);
});

it("forgets the reports of earlier runs, and nothing else", () => {
  const folder = createRun([task("@gantry/kernel#test", 0)], {
    kernel: [],
    "plugins/inbox": [],
  });
  write(folder, "kernel/.turbo/turbo-test.log", "log");
  forgetResults(folder);
  expect(existsSync(join(folder, ".turbo/runs"))).toBe(false);
  expect(existsSync(join(folder, "kernel/.turbo/test-report.json"))).toBe(
    false,
  );
  expect(
    existsSync(join(folder, "plugins/inbox/.turbo/test-report.json")),
  ).toBe(false);
  expect(existsSync(join(folder, "kernel/.turbo/turbo-test.log"))).toBe(true);
});

it("tells how long each file took, by its path in the package", () => {
  const folder = createRun([task("@gantry/kernel#test", 0)]);
  const timed = (name, seconds) => ({
    ...file("passed", [test(name, "passed")]),
    name: join(folder, "kernel/test", name),
    endTime: 1_000 + seconds * 1_000,
  });
  write(folder, "kernel/.turbo/test-report.json", {
    testResults: [timed("quick.test.ts", 0.5), timed("slow.test.ts", 20)],
  });
  const { files } = countResults(folder);
  expect(toSlowestTable(files).split("\n")).toEqual([
    "Slowest of 2 files of tests (21 s in all):",
    "   20.0 s  @gantry/kernel test/slow.test.ts",
    "    0.5 s  @gantry/kernel test/quick.test.ts",
  ]);
});
