// `npm test`: lint, format, types, build and all tests, those of the whole product last. Its last line is the numbers.
// With arguments it runs what they choose: `npm test -- --filter=@gantry/kernel`.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { CHROMIUM_HINT, ensureChromium } from "./chromium.mjs";
import { measurePatience } from "./patience.mjs";
import { rerunFailed } from "./rerun-failed.mjs";
import { rootFolder } from "./shell.mjs";
import { toSummary } from "./summary.mjs";
import { forgetResults, readResults } from "./test-results.mjs";
import { describeMachine, prepareCache } from "./turbo.mjs";

const PACKAGE_TASKS = ["typecheck", "build", "test"];
const ROOT_TASKS = ["lint", "format:check", "test:bootstrap"];
const artifacts = join(rootFolder, "artifacts");

const total = { passed: [], skipped: 0, left: [], failures: [] };
const chosen = process.argv.slice(2);
const chromium = ensureChromium();
const machine = describeMachine(chromium);
const cache = prepareCache();
if (!chromium && process.env.CI) total.failures.push({ name: CHROMIUM_HINT });

if (chosen.length > 0) {
  add(PACKAGE_TASKS, chosen);
} else {
  add([...ROOT_TASKS, ...PACKAGE_TASKS], ["--filter=!./e2e"]);
  // Alone, because these tests watch the clock of a real daemon and a real browser.
  add(["typecheck", "test"], ["--filter=./e2e"]);
}
// One after the other, because each of these tests fills the machine.
add(["test:alone"], ["--concurrency=1", ...chosen]);
report(rerunFailed([...total.failures, ...findForgotten()], rerun));

/** Runs tasks and adds what came of them. */
function add(tasks, options) {
  const { passed, skipped, left, failures } = run([...tasks, ...options]);
  total.passed.push(...passed);
  total.skipped += skipped;
  total.left.push(...left);
  for (const failure of failures)
    if (!total.failures.some(({ name }) => name === failure.name))
      total.failures.push(failure);
}

/** A failure for each file with tests that are left to a task which its package does not have. */
function findForgotten() {
  const seen = new Set(
    [...total.passed, ...total.failures].map(
      (one) => `${one.file} ${one.test}`,
    ),
  );
  const forgotten = total.left.filter(
    (one) => !seen.has(`${one.file} ${one.test}`),
  );
  return [...new Set(forgotten.map(({ file }) => file))].map((file) => ({
    name: `${file}: no script "test:alone" of its package ran its tests with the tag "alone"`,
  }));
}

function rerun({ taskId, file, tests }) {
  const [name, task] = taskId.split("#");
  // The root is no package that could be chosen; its tasks go by their names.
  const filter = name === "//" ? [] : [`--filter=${name}`];
  const names = tests?.map((test) =>
    test.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"),
  );
  const pattern = names ? ["-t", `^(${names.join("|")})$`] : [];
  return run(
    [
      task,
      ...filter,
      "--force",
      "--only",
      "--",
      file,
      ...pattern,
      "--maxWorkers=1",
    ],
    " again",
  );
}

function run(args, label) {
  forgetResults(rootFolder);
  const options = [
    "--continue=dependencies-successful",
    "--summarize",
    "--output-logs=new-only",
  ];
  if (!args.some((arg) => arg.startsWith("--concurrency=")))
    options.push("--concurrency=2");
  const { error, signal } = spawnSync(
    "pnpm",
    ["exec", "turbo", "run", `--cache-dir=${cache}`, ...options, ...args],
    {
      cwd: rootFolder,
      env: {
        ...process.env,
        GANTRY_CHROMIUM: chromium ?? "",
        GANTRY_MACHINE: machine,
        GANTRY_PATIENCE: String(measurePatience()),
      },
      stdio: "inherit",
      shell: process.platform === "win32",
    },
  );
  if (error) throw error;
  if (signal) process.exit(1);
  return readResults(rootFolder, label);
}

function report({ failures, unsteady }) {
  const summary = toSummary({
    passed: total.passed.length + unsteady.length,
    skipped: total.skipped,
    failures,
    unsteady,
  });
  mkdirSync(artifacts, { recursive: true });
  writeFileSync(join(artifacts, "summary.txt"), summary);
  const details = {
    patience: measurePatience(),
    loadAverage: loadavg(),
    tests: unsteady,
  };
  writeFileSync(
    join(artifacts, "unsteady.json"),
    `${JSON.stringify(details, null, 2)}\n`,
  );
  console.log(`\n${summary.trimEnd()}`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}
