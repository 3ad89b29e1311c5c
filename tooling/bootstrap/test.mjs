// `npm test`: lint, format, types, build and tests, those of the whole product last. Its last line is the numbers.
// With arguments it runs what they choose: `npm test -- --filter=@gantry/kernel`. `npm run test:all` (`--all`) also runs
// tests with the tag `thorough`, and looks at the layout of all files.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { findChangedFiles } from "./changed-files.mjs";
import { CHROMIUM_HINT, ensureChromium } from "./chromium.mjs";
import { measurePatience } from "./patience.mjs";
import { rerunFailed } from "./rerun-failed.mjs";
import { rootFolder } from "./shell.mjs";
import { toSlowestTable } from "./slowest.mjs";
import { toSummary } from "./summary.mjs";
import { forgetResults, readResults } from "./test-results.mjs";
import { describeMachine, prepareCache } from "./turbo.mjs";

const PACKAGE_TASKS = ["typecheck", "build", "test"];
/** A change of these may change what is right in all files. */
const RULES =
  /^(tooling\/lint\/|eslint\.config|eslint-suppressions|prettier\.config|\.prettierignore|pnpm-lock)/;
const artifacts = join(rootFolder, "artifacts");

const isAll = process.argv[2] === "--all";
const chosen = process.argv.slice(isAll ? 3 : 2);
const total = {
  passed: [],
  skipped: 0,
  thorough: 0,
  left: [],
  failures: [],
  files: [],
};
const chromium = ensureChromium();
const machine = describeMachine(chromium);
const cache = prepareCache();
if (!chromium && process.env.CI) total.failures.push({ name: CHROMIUM_HINT });

if (chosen.length > 0) {
  // The root has what checks the types of all of them.
  add(PACKAGE_TASKS, [...chosen, "--filter=//"]);
} else {
  add(
    [...checkLayout(), "lint:circles", "test:bootstrap", ...PACKAGE_TASKS],
    ["--filter=!./e2e"],
  );
  // Alone, because these tests watch the clock of a real daemon and a real browser.
  add(["test"], ["--filter=./e2e"]);
}
// One after the other, because each of these tests fills the machine.
add(["test:alone"], ["--concurrency=1", ...chosen]);
const strays = isAll ? [] : findStrays();
report(rerunFailed([...total.failures, ...strays, ...findForgotten()], rerun));

/**
 * Checks lint and format of the files that changed. Gives the tasks that check all files instead, where that is asked for,
 * where rules changed, or where it is not known what changed.
 */
function checkLayout() {
  const changed = isAll ? undefined : findChangedFiles(rootFolder);
  if (!changed || changed.some((path) => RULES.test(path)))
    return ["lint", "format:check"];
  const code = changed.filter((path) => /\.(js|mjs|ts|vue)$/.test(path));
  check("lint", code, ["eslint", "--max-warnings=0", "--no-warn-ignored"]);
  check("format:check", changed, [
    "prettier",
    "--check",
    "--ignore-unknown",
    "--log-level=warn",
  ]);
  return [];
}

function check(name, paths, command) {
  if (paths.length === 0) return;
  console.log(`${name}: ${paths.length} changed files`);
  const { status } = spawn("pnpm", ["exec", ...command, ...paths]);
  if (status !== 0) total.failures.push({ name: `//#${name}` });
}

/** Runs tasks and adds what came of them. */
function add(tasks, options) {
  const results = run([...tasks, ...options]);
  for (const list of ["passed", "left", "files"])
    total[list].push(...results[list]);
  for (const count of ["skipped", "thorough"]) total[count] += results[count];
  for (const failure of results.failures)
    if (!total.failures.some(({ name }) => name === failure.name))
      total.failures.push(failure);
}

/** A failure for each test that ran although its tag says that it does not. */
function findStrays() {
  return total.passed
    .filter(({ isThorough }) => isThorough)
    .map(({ taskId, test }) => ({
      name: `${taskId}: ${test} has the tag "thorough" and ran: \`skipIf\` undoes tags, \`(condition ? test.skip : test)\` does not`,
    }));
}

/** A failure for each file with tests that are left to a task which its package does not have. */
function findForgotten() {
  const toKey = ({ file, test }) => `${file} ${test}`;
  const seen = new Set([...total.passed, ...total.failures].map(toKey));
  const forgotten = total.left.filter((one) => !seen.has(toKey(one)));
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
  const options = [file, ...pattern, "--maxWorkers=1"];
  return run(
    [task, ...filter, "--force", "--only", "--", ...options],
    " again",
  );
}

function run(args, label) {
  forgetResults(rootFolder);
  const options = [
    `--cache-dir=${cache}`,
    "--continue=dependencies-successful",
    "--summarize",
    "--output-logs=new-only",
  ];
  if (!args.some((arg) => arg.startsWith("--concurrency=")))
    options.push("--concurrency=2");
  const { signal } = spawn(
    "pnpm",
    ["exec", "turbo", "run", ...options, ...args],
    {
      GANTRY_CHROMIUM: chromium ?? "",
      GANTRY_MACHINE: machine,
      GANTRY_PATIENCE: String(measurePatience()),
      GANTRY_THOROUGH: isAll ? "1" : "",
    },
  );
  if (signal) process.exit(1);
  return readResults(rootFolder, label);
}

function spawn(command, args, env = {}) {
  const result = spawnSync(command, args, {
    cwd: rootFolder,
    env: { ...process.env, ...env },
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (result.error) throw result.error;
  return result;
}

function report({ failures, unsteady }) {
  const passed = total.passed.length + unsteady.length;
  // What is thorough and did not run in a run of everything, this machine cannot run.
  const skipped = total.skipped + (isAll ? total.thorough : 0);
  const left = isAll ? 0 : total.thorough;
  const summary = toSummary({ passed, skipped, left, failures, unsteady });
  mkdirSync(artifacts, { recursive: true });
  writeFileSync(join(artifacts, "summary.txt"), summary);
  writeJson("unsteady.json", {
    patience: measurePatience(),
    loadAverage: loadavg(),
    tests: unsteady,
  });
  if (isAll && chosen.length === 0)
    writeJson("test-all.json", {
      commit: readCommit(),
      finishedAt: new Date().toISOString(),
      passed,
      failed: failures.length,
      skipped,
      unsteady: unsteady.length,
    });
  console.log(`\n${toSlowestTable(total.files)}\n\n${summary.trimEnd()}`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}

function writeJson(name, value) {
  writeFileSync(join(artifacts, name), `${JSON.stringify(value, null, 2)}\n`);
}

/** The commit that was tested, with a sign where files differ from it. */
function readCommit() {
  const { stdout } = spawnSync(
    "git",
    ["describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"],
    {
      cwd: rootFolder,
      encoding: "utf8",
    },
  );
  return stdout?.trim() || "unknown";
}
