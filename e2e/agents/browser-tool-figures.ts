import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { RealCli } from "../support/cli-user.ts";

const ARTIFACTS = fileURLToPath(new URL("../../artifacts/", import.meta.url));

/** What one CLI has shown with the tools of the browser. */
interface Figures {
  version: string;
  /** From the prompt to the first page, in seconds: the CLI and Chromium start in it. */
  firstPage: number;
  /** From the prompt to the end of the walk, in seconds. */
  walk: number;
  /** Of the list of tools, as the CLI gets it. */
  bytes: number;
}

interface Row extends Partial<Figures> {
  passed: number;
  tests: number;
}

/** The figures of all CLIs, kept among the artefacts of the run. */
export class BrowserToolFigures {
  readonly #rows = new Map<string, Row>();

  note({ title }: RealCli, figures: Partial<Figures>): void {
    Object.assign(this.#rowOf(title), figures);
  }

  count({ title }: RealCli, hasPassed: boolean): void {
    const row = this.#rowOf(title);
    row.tests += 1;
    if (hasPassed) row.passed += 1;
  }

  /** Writes the table, unless no CLI ran. */
  async write(): Promise<void> {
    if (this.#rows.size === 0) return;
    const seconds = (value?: number) => value?.toFixed(1) ?? "–";
    const lines = [
      "| CLI | Version | Tests passed | First page (s) | Walk (s) | Tool list (bytes) |",
      "| --- | --- | --- | --- | --- | --- |",
      ...[...this.#rows].map(
        ([title, row]) =>
          `| ${title} | ${row.version ?? "–"} | ${row.passed} of ${row.tests} | ${seconds(row.firstPage)} | ${seconds(row.walk)} | ${row.bytes ?? "–"} |`,
      ),
    ];
    await mkdir(ARTIFACTS, { recursive: true });
    await writeFile(`${ARTIFACTS}browser-tools.md`, `${lines.join("\n")}\n`);
  }

  #rowOf(title: string): Row {
    const row = this.#rows.get(title) ?? { passed: 0, tests: 0 };
    this.#rows.set(title, row);
    return row;
  }
}
