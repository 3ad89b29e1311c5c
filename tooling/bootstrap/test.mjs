// `npm test`: lint, format, types, build and all tests, those of the whole product last. Its last line is the numbers.
// With arguments it runs what they choose: `npm test -- --filter=@gantry/kernel`.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHROMIUM_HINT, ensureChromium } from "./chromium.mjs";
import { rootFolder } from "./shell.mjs";
import { countResults, forgetResults } from "./test-results.mjs";

const PACKAGE_TASKS = ["typecheck", "build", "test"];
const ROOT_TASKS = ["lint", "format:check", "test:bootstrap"];

const total = { passed: 0, skipped: 0, failures: new Set() };
const chosen = process.argv.slice(2);
const chromium = ensureChromium();
if (!chromium && process.env.CI) total.failures.add(CHROMIUM_HINT);

if (chosen.length > 0) {
  run(PACKAGE_TASKS, chosen);
} else if (existsSync(join(rootFolder, "e2e/package.json"))) {
  run([...ROOT_TASKS, ...PACKAGE_TASKS], ["--filter=!./e2e"]);
  // Alone, because these tests watch the clock of a real daemon and a real browser.
  run(["typecheck", "test"], ["--filter=./e2e"]);
} else {
  run([...ROOT_TASKS, ...PACKAGE_TASKS], []);
}
report();

function run(tasks, filters) {
  forgetResults(rootFolder);
  const options = [
    "--concurrency=2",
    "--continue=dependencies-successful",
    "--summarize",
    "--output-logs=new-only",
  ];
  const { error, signal } = spawnSync(
    "pnpm",
    ["exec", "turbo", "run", ...tasks, ...filters, ...options],
    {
      cwd: rootFolder,
      env: { ...process.env, GANTRY_CHROMIUM: chromium ?? "" },
      stdio: "inherit",
      shell: process.platform === "win32",
    },
  );
  if (error) throw error;
  if (signal) process.exit(1);
  const { passed, skipped, failures } = countResults(rootFolder);
  total.passed += passed;
  total.skipped += skipped;
  for (const failure of failures) total.failures.add(failure);
}

function report() {
  const { passed, skipped, failures } = total;
  const lines = [...failures].map((failure) => `Failed: ${failure}`);
  if (skipped > 0) lines.push(`${skipped} skipped`);
  lines.push(`${passed} passed, ${failures.size} failed`);
  mkdirSync(join(rootFolder, "artifacts"), { recursive: true });
  writeFileSync(
    join(rootFolder, "artifacts/summary.txt"),
    `${lines.join("\n")}\n`,
  );
  console.log(`\n${lines.join("\n")}`);
  process.exitCode = failures.size === 0 ? 0 : 1;
}
