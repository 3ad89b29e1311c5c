import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";

/** What a package's tests leave behind: their report in vitest's JSON format, and errors outside of all tests. */
const REPORTS = ".turbo/test{,-alone,-bootstrap}-{report,errors}.json";
const RUNS = ".turbo/runs";

/** Where a test task leaves its report, within the folder of its package; `test:alone` in `test-alone-report.json`. */
function toReportPath(taskId, kind = "report") {
  const task = taskId.slice(taskId.indexOf("#") + 1);
  return `.turbo/${task.replaceAll(":", "-")}-${kind}.json`;
}

/** Takes away the reports and summaries of earlier runs, so that none of them is counted again. */
export function forgetResults(root) {
  rmSync(join(root, RUNS), { recursive: true, force: true });
  const stale = globSync(`**/${REPORTS}`, {
    cwd: root,
    exclude: (name) => name === "node_modules",
  });
  for (const file of stale) rmSync(join(root, file));
}

/**
 * Something that failed: a test, a file of tests that did not load or had an error outside of its tests, or a task.
 *
 * @typedef {object} Failure
 * @property {string} name
 * @property {string} [reason] What it said, in a few lines.
 * @property {string} [taskId] Of a test or a file: the task that runs it again.
 * @property {string} [file] Its path on this machine.
 * @property {string} [path] Its path in the checkout.
 * @property {string} [test] Of a test: its name with those of its suites, as vitest's `-t` knows it.
 * @property {boolean} [passesAlone] It passed when it was run again, alone, and is no less of a failure.
 */

/**
 * What turbo's last run did.
 *
 * @typedef {object} Results
 * @property {{ taskId: string, file: string, test: string, isThorough: boolean }[]} passed
 * @property {number} skipped Tests that no task runs on this machine.
 * @property {number} thorough Skipped tests with the tag `thorough`.
 * @property {{ taskId: string, file: string, test: string }[]} left Tests that another task is to run.
 * @property {Failure[]} failures
 * @property {{ taskId: string, path: string, seconds: number }[]} files What ran, with how long it took.
 */

/**
 * Reads what turbo's last run did: the tests of each test task, and each task that failed without a failed test. A task
 * that was restored from the cache counts as one that ran, since its report is restored with it.
 *
 * @param {string} [label] Added to the names of the reports that are kept.
 * @returns {Results}
 */
export function readResults(root, label = "") {
  const results = {
    passed: [],
    skipped: 0,
    thorough: 0,
    left: [],
    failures: [],
    files: [],
  };
  const tasks = readTasks(root);
  if (!tasks) results.failures.push({ name: "turbo: did not run" });
  for (const { taskId, directory, execution, cache } of tasks ?? []) {
    const exitCode = cache?.status === "HIT" ? 0 : (execution?.exitCode ?? 1);
    if (/#test(:|$)/.test(taskId)) {
      // The one test task of the root is that of the bootstrap, which is no package.
      const folder = directory || "tooling/bootstrap";
      addTests(root, { taskId, folder, exitCode, label }, results);
    } else if (exitCode !== 0) {
      results.failures.push({ name: taskId });
    }
  }
  return results;
}

/** The tasks in the newest summary that turbo wrote. */
function readTasks(root) {
  const folder = join(root, RUNS);
  const names = existsSync(folder) ? readdirSync(folder) : [];
  // A name begins with the time.
  const newest = names
    .filter((name) => name.endsWith(".json"))
    .sort()
    .at(-1);
  if (!newest) return undefined;
  return JSON.parse(readFileSync(join(folder, newest), "utf8")).tasks;
}

function addTests(root, { taskId, folder, exitCode, label }, results) {
  const path = join(folder, toReportPath(taskId));
  if (!existsSync(join(root, path))) {
    results.failures.push({ name: `${taskId}: left no report in ${path}` });
    return;
  }
  const text = readFileSync(join(root, path), "utf8");
  keepReport(root, taskId + label, text);
  const before = results.failures.length;
  for (const result of JSON.parse(text).testResults)
    addFile(root, { taskId, folder }, result, results);
  const errors = join(root, folder, toReportPath(taskId, "errors"));
  if (existsSync(errors))
    for (const { file, message } of JSON.parse(readFileSync(errors, "utf8")))
      addError(root, { taskId, file, message }, results);
  if (exitCode !== 0 && results.failures.length === before) {
    results.failures.push({
      name: `${taskId}: exit code ${exitCode}, no failed test`,
    });
  }
}

/** Tests with this tag are run by a task of its name, `test:alone`. */
const ALONE = "alone";
/** Tests with this tag are run by `npm run test:all`. */
const THOROUGH = "thorough";

function addFile(
  root,
  { taskId, folder },
  { name, status, message, startTime, endTime, assertionResults },
  results,
) {
  const path = toPath(root, folder, name);
  const file = join(root, path);
  const isAloneTask = taskId.endsWith(`:${ALONE}`);
  const seconds = (endTime - startTime) / 1000;
  if (seconds > 0) results.files.push({ taskId, path, seconds });
  const failed = [];
  for (const one of assertionResults) {
    const isThorough = one.tags?.includes(THOROUGH) ?? false;
    const test = { taskId, file, test: toFullName(one), isThorough };
    const isAlone = one.tags?.includes(ALONE) ?? false;
    if (one.status === "failed") failed.push(one);
    else if (one.status === "passed") results.passed.push(test);
    else if (isAlone !== isAloneTask) {
      if (isAlone) results.left.push(test);
    } else if (isThorough) results.thorough += 1;
    else results.skipped += 1;
  }
  for (const test of failed) {
    results.failures.push({
      name: `${taskId}: ${test.fullName}`,
      reason: toReason(test.failureMessages.join("\n")),
      taskId,
      file,
      path,
      test: toFullName(test),
    });
  }
  if (status === "failed" && failed.length === 0) {
    results.failures.push({
      name: `${taskId}: ${file} did not run`,
      reason: toReason(message),
      taskId,
      file,
      path,
    });
  }
}

/** Path of a file in the checkout. A report from the cache may name the checkout in which it was made. */
function toPath(root, folder, name) {
  const path = relative(root, name);
  if (!path.startsWith("..")) return path;
  return name.slice(name.lastIndexOf(`/${folder}/`) + 1);
}

const toFullName = ({ ancestorTitles, title }) =>
  [...ancestorTitles, title].join(" > ");

/** An error that no test caught, such as a rejection that came late. Vitest names the file that ran when it came. */
function addError(root, { taskId, file, message }, results) {
  const reason = toReason(message);
  const path = file && relative(root, file);
  const name = `${taskId}: error outside of all tests${path ? ` of ${path}` : ""}`;
  results.failures.push({ name, reason, taskId, file, path });
}

const MAX_REASON_LINES = 12;
const ESCAPES = new RegExp(`${String.fromCodePoint(27)}\\[[\\d;]*m`, "g");

/** The message, and of the stack only what is ours. */
function toReason(message) {
  return String(message)
    .replace(ESCAPES, "")
    .split("\n")
    .filter(
      (line) =>
        line.trim() && !/^\s+at .*(<anonymous>|node_modules|node:)/.test(line),
    )
    .slice(0, MAX_REASON_LINES)
    .join("\n");
}

/** A copy of each report in one folder, for CI to keep. */
function keepReport(root, title, text) {
  const folder = join(root, "artifacts/tests");
  const name = title.replace(/[^\w-]+/g, "-").replace(/^-+|-+$/g, "");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), text);
}
