// `npm test`: lint, format, types and build, then all tests. Its last line is the numbers.
// With arguments it runs what they choose: `npm test -- --filter=@gantry/kernel`.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHROMIUM_HINT, ensureChromium } from "./chromium.mjs";
import { markUnsteady } from "./mark-unsteady.mjs";
import { rootFolder } from "./shell.mjs";
import { toSlowestTable } from "./slowest.mjs";
import { toSummary } from "./summary.mjs";
import { countResults, forgetResults } from "./test-results.mjs";

const CHECK_TASKS = ["typecheck", "build"];
const ROOT_TASKS = ["lint", "format:check", "test:bootstrap"];

const total = { passed: 0, skipped: 0, failures: [], files: [] };
const chosen = process.argv.slice(2);
const chromium = ensureChromium();
if (!chromium && process.env.CI) total.failures.push({ name: CHROMIUM_HINT });

// Each of these computes on one core. The tests of a package run in two workers, so that one package at a time is enough
// for two cores: more would be late for what they wait for.
count([...(chosen.length > 0 ? [] : ROOT_TASKS), ...CHECK_TASKS], chosen, 2);
count(["test"], chosen, 1);
report(markUnsteady(total.failures, runFiles));

/** Runs tasks and adds what came of them. */
function count(tasks, filters, concurrency) {
  const { passed, skipped, failures, files } = run([...tasks, ...filters], {
    concurrency,
  });
  total.passed += passed;
  total.skipped += skipped;
  total.files.push(...files);
  for (const failure of failures)
    if (!total.failures.some(({ name }) => name === failure.name))
      total.failures.push(failure);
}

function runFiles(taskId, files) {
  const [name, task] = taskId.split("#");
  // The root is no package that could be chosen; its tasks go by their names.
  const filter = name === "//" ? [] : [`--filter=${name}`];
  const args = [task, ...filter, "--force", "--only", "--", ...files];
  return run(args, { concurrency: 1, label: " again" }).failures;
}

function run(args, { concurrency, label }) {
  forgetResults(rootFolder);
  const options = [
    `--concurrency=${concurrency}`,
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
  console.log(`\n${toSlowestTable(total.files)}`);
  const summary = toSummary({ ...total, failures });
  mkdirSync(join(rootFolder, "artifacts"), { recursive: true });
  writeFileSync(join(rootFolder, "artifacts/summary.txt"), summary);
  console.log(`\n${summary.trimEnd()}`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}
