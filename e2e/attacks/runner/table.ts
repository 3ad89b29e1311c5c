import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Row } from "./row.ts";

const ARTIFACTS = fileURLToPath(
  new URL("../../../artifacts/", import.meta.url),
);

/** The result of a row. */
type Verdict = "passed" | "failed" | "proved elsewhere" | "left out";

/** The results of all rows, which show what is attacked and what is not. */
export interface Table {
  note(row: Row, verdict: Verdict, reason?: string): void;
  /** Counts requests that were made and judged. */
  count(requests: number): void;
  /** Writes the whole table among the artefacts, and gives the short of it. */
  close(): string;
}

interface Line {
  row: Row;
  verdict: Verdict;
  reason: string;
}

/** Begins with no row. */
export function createTable(): Table {
  const lines: Line[] = [];
  let requests = 0;
  const idsOf = (list: readonly Line[]) =>
    list.map(({ row }) => row.id).join(", ");
  const of = (verdict: Verdict) =>
    lines.filter((line) => line.verdict === verdict);

  return {
    note(row, verdict, reason = "") {
      lines.push({ row, verdict, reason });
    },
    count(more) {
      requests += more;
    },
    close() {
      mkdirSync(ARTIFACTS, { recursive: true });
      writeFileSync(`${ARTIFACTS}attacks.md`, render(lines));
      const reasons = new Set(of("left out").map(({ reason }) => reason));
      const failed = of("failed");
      return [
        `Attacks: ${of("passed").length} rows passed with ${requests} requests and more, ${of("proved elsewhere").length} are proved elsewhere, ${of("left out").length} left out, ${failed.length} failed.`,
        ...(failed.length > 0 ? [`  failed: ${idsOf(failed)}`] : []),
        ...[...reasons].map(
          (reason) =>
            `  ${reason}: ${idsOf(lines.filter((line) => line.reason === reason))}`,
        ),
      ].join("\n");
    },
  };
}

function render(lines: readonly Line[]): string {
  const cell = (text: string) => text.replaceAll("|", "\\|");
  return [
    "| Row | Attack | Verdict | Reason |",
    "| --- | --- | --- | --- |",
    ...lines.map(
      ({ row, verdict, reason }) =>
        `| ${row.id} | ${cell(row.title)} | ${verdict} | ${cell(reason)} |`,
    ),
    "",
  ].join("\n");
}
