// `npm test`: lint, format, types, build and all tests, those of the whole product last. Its last line is the numbers.
// With arguments it runs what they choose: `npm test -- --filter=@gantry/kernel`.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHROMIUM_HINT, ensureChromium } from "./chromium.mjs";
import { markUnsteady } from "./mark-unsteady.mjs";
import { rootFolder } from "./shell.mjs";
import { toSummary } from "./summary.mjs";
import { countResults, forgetResults } from "./test-results.mjs";

const PACKAGE_TASKS = ["typecheck", "build", "test"];
const ROOT_TASKS = ["lint", "format:check", "test:bootstrap"];

const total = { passed: 0, skipped: 0, failures: [] };
const chosen = process.argv.slice(2);
const chromium = ensureChromium();
if (!chromium && process.env.CI) total.failures.push({ name: CHROMIUM_HINT });

if (chosen.length > 0) {
  count(PACKAGE_TASKS, chosen);
} else if (existsSync(join(rootFolder, "e2e/package.json"))) {
  count([...ROOT_TASKS, ...PACKAGE_TASKS], ["--filter=!./e2e"]);
  // Alone, because these tests watch the clock of a real daemon and a real browser.
  count(["typecheck", "test"], ["--filter=./e2e"]);
} else {
  count([...ROOT_TASKS, ...PACKAGE_TASKS], []);
}
report(markUnsteady(total.failures, runFiles));

/** Runs tasks and adds what came of them. */
function count(tasks, filters) {
  const { passed, skipped, failures } = run([...tasks, ...filters]);
  total.passed += passed;
  total.skipped += skipped;
  for (const failure of failures)
    if (!total.failures.some(({ name }) => name === failure.name))
      total.failures.push(failure);
}

function runFiles(taskId, files) {
  const [name, task] = taskId.split("#");
  // The root is no package that could be chosen; its tasks go by their names.
  const filter = name === "//" ? [] : [`--filter=${name}`];
  const args = [task, ...filter, "--force", "--only", "--", ...files];
  return run(args, " again").failures;
}

function run(args, label) {
  forgetResults(rootFolder);
  const options = [
    "--concurrency=2",
    "--continue=dependencies-successful",
    "--summarize",
    "--output-logs=new-only",
  ];
  const { error, signal } = spawnSync(
    "pnpm",
    ["exec", "turbo", "run", ...options, ...args],
    {
      cwd: rootFolder,
      env: { ...process.env, GANTRY_CHROMIUM: chromium ?? "" },
      stdio: "inherit",
      shell: process.platform === "win32",
    },
  );
  if (error) throw error;
  if (signal) process.exit(1);
  return countResults(rootFolder, label);
}

function report(failures) {
  const summary = toSummary({ ...total, failures });
  mkdirSync(join(rootFolder, "artifacts"), { recursive: true });
  writeFileSync(join(rootFolder, "artifacts/summary.txt"), summary);
  console.log(`\n${summary.trimEnd()}`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}
