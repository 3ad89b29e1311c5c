import {
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

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
 * Counts what turbo's last run did: the tests of each test task, and each task that failed without a failed test. A
 * task that was restored from the cache counts as one that ran, since its report is restored with it.
 *
 * @returns {{ passed: number, skipped: number, failures: string[] }}
 */
export function countResults(root) {
  const total = { passed: 0, skipped: 0, failures: [] };
  const tasks = readTasks(root);
  if (!tasks) total.failures.push("turbo: did not run");
  for (const { taskId, directory, execution, cache } of tasks ?? []) {
    const exitCode = cache?.status === "HIT" ? 0 : (execution?.exitCode ?? 1);
    if (/#test(:|$)/.test(taskId)) {
      // The one test task of the root is that of the bootstrap, which is no package.
      const folder = directory || "tooling/bootstrap";
      countTests(root, { taskId, folder, exitCode }, total);
    } else if (exitCode !== 0) {
      total.failures.push(taskId);
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

function countTests(root, { taskId, folder, exitCode }, total) {
  const file = join(root, folder, REPORT);
  if (!existsSync(file)) {
    total.failures.push(`${taskId}: left no report in ${folder}/${REPORT}`);
    return;
  }
  const text = readFileSync(file, "utf8");
  keepReport(root, taskId, text);
  const before = total.failures.length;
  for (const result of JSON.parse(text).testResults) {
    countFile(taskId, result, total);
  }
  // Such as an error outside of any test.
  if (exitCode !== 0 && total.failures.length === before) {
    total.failures.push(`${taskId}: exit code ${exitCode}, no failed test`);
  }
}

function countFile(taskId, { name, status, message, assertionResults }, total) {
  const failed = assertionResults.filter((test) => test.status === "failed");
  const passed = assertionResults.filter((test) => test.status === "passed");
  total.passed += passed.length;
  total.skipped += assertionResults.length - passed.length - failed.length;
  for (const test of failed) {
    total.failures.push(`${taskId}: ${test.fullName}`);
  }
  if (status === "failed" && failed.length === 0) {
    const [reason] = String(message).split("\n");
    total.failures.push(`${taskId}: ${name} did not run: ${reason}`);
  }
}

/** A copy of each report in one folder, for CI to keep. */
function keepReport(root, taskId, text) {
  const folder = join(root, "artifacts/tests");
  const name = taskId.replace(/[^\w-]+/g, "-").replace(/^-+|-+$/g, "");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), text);
}
