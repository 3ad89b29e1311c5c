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

/** Where a package's tests leave their report, in vitest's JSON format. */
const REPORT = ".turbo/test-report.json";
const RUNS = ".turbo/runs";

/** Takes away the reports and summaries of earlier runs, so that none of them is counted again. */
export function forgetResults(root) {
  rmSync(join(root, RUNS), { recursive: true, force: true });
  const stale = globSync(`**/${REPORT}`, {
    cwd: root,
    exclude: (name) => name === "node_modules",
  });
  for (const file of stale) rmSync(join(root, file));
}

/**
 * Something that failed: a test, a file of tests that did not load, or a task.
 *
 * @typedef {object} Failure
 * @property {string} name
 * @property {string} [reason] What it said, in a few lines.
 * @property {string} [taskId] Of a test or a file: the task that runs it again.
 * @property {string} [file]
 * @property {boolean} [isUnsteady] It passed when its file was run again, alone.
 */

/**
 * A file of tests and how long it took, its preparation included.
 *
 * @typedef {object} TimedFile
 * @property {string} taskId
 * @property {string} file From the package's folder on.
 * @property {number} seconds
 */

/**
 * Counts what turbo's last run did: the tests of each test task, and each task that failed without a failed test. A
 * task that was restored from the cache counts as one that ran, since its report is restored with it.
 *
 * @param {string} [label] Added to the names of the reports that are kept.
 * @returns {{ passed: number, skipped: number, failures: Failure[], files: TimedFile[] }}
 */
export function countResults(root, label = "") {
  const total = { passed: 0, skipped: 0, failures: [], files: [] };
  const tasks = readTasks(root);
  if (!tasks) total.failures.push({ name: "turbo: did not run" });
  for (const { taskId, directory, execution, cache } of tasks ?? []) {
    const exitCode = cache?.status === "HIT" ? 0 : (execution?.exitCode ?? 1);
    if (/#test(:|$)/.test(taskId)) {
      // The one test task of the root is that of the bootstrap, which is no package.
      const folder = directory || "tooling/bootstrap";
      countTests(root, { taskId, folder, exitCode, label }, total);
    } else if (exitCode !== 0) {
      total.failures.push({ name: taskId });
    }
  }
  return total;
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

function countTests(root, { taskId, folder, exitCode, label }, total) {
  const file = join(root, folder, REPORT);
  if (!existsSync(file)) {
    total.failures.push({
      name: `${taskId}: left no report in ${folder}/${REPORT}`,
    });
    return;
  }
  const text = readFileSync(file, "utf8");
  keepReport(root, taskId + label, text);
  const before = total.failures.length;
  for (const result of JSON.parse(text).testResults) {
    countFile(taskId, result, total);
    const seconds = (result.endTime - result.startTime) / 1000;
    const name = relative(join(root, folder), result.name);
    if (seconds > 0) total.files.push({ taskId, file: name, seconds });
  }
  // Such as an error outside of any test.
  if (exitCode !== 0 && total.failures.length === before) {
    total.failures.push({
      name: `${taskId}: exit code ${exitCode}, no failed test`,
    });
  }
}

function countFile(
  taskId,
  { name: file, status, message, assertionResults },
  total,
) {
  const failed = assertionResults.filter((test) => test.status === "failed");
  const passed = assertionResults.filter((test) => test.status === "passed");
  total.passed += passed.length;
  total.skipped += assertionResults.length - passed.length - failed.length;
  for (const { fullName, failureMessages } of failed) {
    const reason = toReason(failureMessages.join("\n"));
    total.failures.push({
      name: `${taskId}: ${fullName}`,
      reason,
      taskId,
      file,
    });
  }
  if (status === "failed" && failed.length === 0) {
    const name = `${taskId}: ${file} did not run`;
    total.failures.push({ name, reason: toReason(message), taskId, file });
  }
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
