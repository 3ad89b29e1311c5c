import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { forgetResults, readResults } from "../test-results.mjs";
import { createFolder, write } from "./folder.mjs";

const test = (title, status, { failureMessages = [], tags = [] } = {}) => ({
  ancestorTitles: ["suite"],
  title,
  fullName: `suite ${title}`,
  status,
  failureMessages,
  tags,
});
const file = (status, assertionResults, message = "") => ({
  name: "a.test.ts",
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
    const [directory, name = "test"] = path.split("#");
    const files = testResults.map((result) => ({
      ...result,
      name: join(folder, directory, result.name),
    }));
    write(folder, `${directory}/.turbo/${name}-report.json`, {
      testResults: files,
    });
  }
  return folder;
}

const passedTest = (folder, taskId, path, title) => ({
  taskId,
  file: join(folder, path),
  test: `suite > ${title}`,
  isThorough: false,
});

it("reads the tests of all packages, and names what failed", () => {
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
          test("gate refuses", "failed", {
            failureMessages: [
              "\u001B[31mError: 200\u001B[39m\n\n  at a.ts:1\n  at node:net:1",
            ],
          }),
          test("gate lets pass", "passed"),
        ]),
      ],
      "plugins/inbox": [
        file("passed", [
          test("a", "passed"),
          test("b", "skipped"),
          test("c", "todo"),
          test("d", "skipped", { tags: ["thorough"] }),
        ]),
      ],
      "tooling/bootstrap#test-bootstrap": [
        file("passed", [test("a", "passed")]),
      ],
    },
  );
  expect(readResults(folder)).toEqual({
    passed: [
      passedTest(
        folder,
        "@gantry/kernel#test",
        "kernel/a.test.ts",
        "gate lets pass",
      ),
      passedTest(
        folder,
        "@gantry/plugin-inbox#test",
        "plugins/inbox/a.test.ts",
        "a",
      ),
      passedTest(
        folder,
        "//#test:bootstrap",
        "tooling/bootstrap/a.test.ts",
        "a",
      ),
    ],
    skipped: 2,
    thorough: 1,
    left: [],
    files: [],
    failures: [
      {
        name: "@gantry/kernel#test: suite gate refuses",
        reason: "Error: 200\n  at a.ts:1",
        taskId: "@gantry/kernel#test",
        file: join(folder, "kernel/a.test.ts"),
        path: "kernel/a.test.ts",
        test: "suite > gate refuses",
      },
      { name: "//#lint" },
    ],
  });
  const kept = join(folder, "artifacts/tests/gantry-kernel-test.json");
  expect(JSON.parse(readFileSync(kept, "utf8")).testResults).toHaveLength(1);
});

it("leaves tests that need the machine for themselves to the task that runs them", () => {
  const tests = (alone, other) => [
    file("passed", [
      test("fills it", alone, { tags: ["alone"] }),
      test("does not", other),
    ]),
  ];
  const folder = createRun(
    [task("@gantry/kernel#test", 0), task("@gantry/kernel#test:alone", 0)],
    {
      kernel: tests("skipped", "passed"),
      "kernel#test-alone": tests("passed", "skipped"),
    },
  );
  const path = "kernel/a.test.ts";
  expect(readResults(folder)).toEqual({
    passed: [
      passedTest(folder, "@gantry/kernel#test", path, "does not"),
      passedTest(folder, "@gantry/kernel#test:alone", path, "fills it"),
    ],
    skipped: 0,
    thorough: 0,
    files: [],
    left: [passedTest(folder, "@gantry/kernel#test", path, "fills it")],
    failures: [],
  });
});

it("knows the files of a report that was made in another checkout", () => {
  const folder = createRun([task("@gantry/kernel#test", 0)]);
  write(folder, "kernel/.turbo/test-report.json", {
    testResults: [
      {
        ...file("passed", [test("a", "passed")]),
        name: "/tmp/elsewhere/kernel/core/test/a.test.ts",
      },
    ],
  });
  expect(readResults(folder).passed).toEqual([
    passedTest(
      folder,
      "@gantry/kernel#test",
      "kernel/core/test/a.test.ts",
      "a",
    ),
  ]);
});

it("reads the tests of a task that came from the cache", () => {
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
  expect(readResults(folder)).toMatchObject({
    passed: [{ test: "suite > a" }],
    failures: [],
  });
});

it("counts a file that did not load as one failure", () => {
  const folder = createRun([task("@gantry/kernel#test", 1)], {
    kernel: [file("failed", [], "Cannot find module\n  at …")],
  });
  expect(readResults(folder).failures).toEqual([
    {
      name: `@gantry/kernel#test: ${join(folder, "kernel/a.test.ts")} did not run`,
      reason: "Cannot find module\n  at …",
      taskId: "@gantry/kernel#test",
      file: join(folder, "kernel/a.test.ts"),
      path: "kernel/a.test.ts",
    },
  ]);
});

it("ties an error outside of all tests to the file that ran, also beside a failed test", () => {
  const folder = createRun([task("@gantry/kernel#test", 1)], {
    kernel: [file("failed", [test("a", "failed")])],
  });
  write(folder, "kernel/.turbo/test-errors.json", [
    { file: join(folder, "kernel/b.test.ts"), message: "Error: late" },
    { message: "Error: at the end" },
  ]);
  expect(readResults(folder).failures).toMatchObject([
    { test: "suite > a" },
    {
      name: "@gantry/kernel#test: error outside of all tests of kernel/b.test.ts",
      reason: "Error: late",
      taskId: "@gantry/kernel#test",
      file: join(folder, "kernel/b.test.ts"),
      path: "kernel/b.test.ts",
    },
    { name: "@gantry/kernel#test: error outside of all tests" },
  ]);
});

it("does not take passed tests for a success when the run failed", () => {
  const folder = createRun([task("@gantry/kernel#test", 1)], {
    kernel: [file("passed", [test("a", "passed")])],
  });
  expect(readResults(folder).failures).toEqual([
    { name: "@gantry/kernel#test: exit code 1, no failed test" },
  ]);
});

it("does not take silence for a success", () => {
  expect(
    readResults(createRun([task("@gantry/kernel#test", 0)])).failures,
  ).toEqual([
    {
      name: "@gantry/kernel#test: left no report in kernel/.turbo/test-report.json",
    },
  ]);
  expect(readResults(createFolder()).failures).toEqual([
    { name: "turbo: did not run" },
  ]);
});

it("forgets the reports of earlier runs, and nothing else", () => {
  const folder = createRun([task("@gantry/kernel#test", 0)], {
    kernel: [],
    "plugins/inbox": [],
  });
  write(folder, "kernel/.turbo/turbo-test.log", "log");
  write(folder, "kernel/.turbo/test-errors.json", []);
  forgetResults(folder);
  expect(existsSync(join(folder, ".turbo/runs"))).toBe(false);
  expect(existsSync(join(folder, "kernel/.turbo/test-report.json"))).toBe(
    false,
  );
  expect(
    existsSync(join(folder, "plugins/inbox/.turbo/test-report.json")),
  ).toBe(false);
  expect(existsSync(join(folder, "kernel/.turbo/test-errors.json"))).toBe(
    false,
  );
  expect(existsSync(join(folder, "kernel/.turbo/turbo-test.log"))).toBe(true);
});
