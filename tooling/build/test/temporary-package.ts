import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";

const CACHE = join(import.meta.dirname, "../node_modules/.cache");
const VITEST = join(import.meta.dirname, "../node_modules/vitest/vitest.mjs");

/** The folder of the sources of this package. */
export const SOURCES = join(import.meta.dirname, "../src");

/** What vitest reports of a file. */
export interface FileReport {
  /** Path from the package's `test` folder. */
  file: string;
  titles: string[];
  startTime: number;
}

/** Makes a package with these tests, which is removed when the test is over; gives its folder. */
export async function createPackage(
  tests: Record<string, string>,
): Promise<string> {
  await mkdir(CACHE, { recursive: true });
  // Within this package, so that vitest is found.
  const folder = await mkdtemp(join(CACHE, "package-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(
    join(folder, "vitest.config.ts"),
    `export { default } from ${JSON.stringify(join(SOURCES, "vitest.ts"))};`,
  );
  for (const [name, code] of Object.entries(tests)) {
    const path = join(folder, "test", name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, code);
  }
  return folder;
}

/** Runs the tests of a package, and gives the files that ran. */
export async function runPackage(
  folder: string,
  ...options: string[]
): Promise<FileReport[]> {
  await promisify(execFile)(
    process.execPath,
    [VITEST, "run", "--root", folder, ...options],
    { cwd: folder, env: { PATH: process.env.PATH } },
  );
  const { testResults } = JSON.parse(
    await readFile(join(folder, ".turbo/test-report.json"), "utf8"),
  ) as {
    testResults: {
      name: string;
      startTime: number;
      assertionResults: { title: string }[];
    }[];
  };
  return testResults.map(({ name, startTime, assertionResults }) => ({
    file: name.slice(join(folder, "test/").length),
    titles: assertionResults.map(({ title }) => title),
    startTime,
  }));
}
