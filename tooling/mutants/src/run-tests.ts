import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";

/** Longer than any of the tests; what hangs has noticed too. */
const LIMIT_MS = 120_000;

/** How a run of tests ended. */
export interface TestRun {
  passed: boolean;
  /** The first test that failed, or what else went wrong. */
  failure: string;
}

interface Report {
  testResults: {
    message?: string;
    assertionResults: { status: string; fullName: string }[];
  }[];
}

/** Runs files of tests below a folder, each with the tests of its package, to the first that fails. */
export async function runTests(
  folder: string,
  tests: readonly string[],
  signal: AbortSignal,
): Promise<TestRun> {
  const packages = Map.groupBy(tests, (test) => test.split("test/", 1)[0]!);
  for (const [name, own] of packages) {
    const home = join(folder, name);
    const run = await runPackage(
      home,
      own.map((test) => test.slice(name.length)),
      signal,
    );
    if (!run.passed) return run;
  }
  return { passed: true, failure: "" };
}

async function runPackage(
  folder: string,
  tests: readonly string[],
  signal: AbortSignal,
): Promise<TestRun> {
  const report = join(folder, ".turbo/test-report.json");
  await rm(report, { force: true });
  const vitest = join(folder, "node_modules/vitest/vitest.mjs");
  const child = spawn(
    process.execPath,
    [vitest, "run", "--mode=all", "--bail=1", ...tests],
    {
      cwd: folder,
      stdio: "ignore",
      // A group of its own, so that daemons which tests start end with it.
      detached: true,
      env: { ...process.env, CI: "", NODE_OPTIONS: "" },
    },
  );
  const end = () => {
    try {
      if (child.pid) process.kill(-child.pid, "SIGKILL");
    } catch {
      // Gone already.
    }
  };
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    end();
  }, LIMIT_MS);
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  const [code] = (await once(child, "exit")) as [number | null];
  clearTimeout(timer);
  signal.removeEventListener("abort", end);
  end();
  if (code === 0) return { passed: true, failure: "" };
  const failure = late ? "it hangs" : await firstFailure(report);
  return { passed: false, failure };
}

async function firstFailure(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return "it does not even run";
  const { testResults } = JSON.parse(text) as Report;
  for (const { assertionResults } of testResults)
    for (const { status, fullName } of assertionResults)
      if (status === "failed") return fullName.trim();
  const message = testResults.find((result) => result.message)?.message;
  return message?.split("\n", 1)[0] ?? "an error outside of any test";
}
