import { rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Reporter, Vitest } from "vitest/node";

/**
 * Writes errors outside of all tests beside the report of the tests, which leaves them out: in `test-errors.json`, each with
 * the test file that ran when it came. No file is left where there were none.
 */
export default class ErrorReporter implements Reporter {
  #file: string | undefined;

  onInit({ config }: Vitest): void {
    const { outputFile } = config;
    const report = typeof outputFile === "object" ? outputFile["json"] : "";
    if (report)
      this.#file = resolve(
        config.root,
        report.replace("-report.json", "-errors.json"),
      );
  }

  onTestRunEnd: NonNullable<Reporter["onTestRunEnd"]> = (_, errors) => {
    if (this.#file === undefined) return;
    rmSync(this.#file, { force: true });
    if (errors.length === 0) return;
    const found = errors.map((error) => ({
      file: error["VITEST_TEST_PATH"] as string | undefined,
      message: error.stack ?? `${error.name}: ${error.message}`,
    }));
    writeFileSync(this.#file, JSON.stringify(found));
  };
}
