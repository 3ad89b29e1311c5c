import { execFile } from "node:child_process";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import type { Row } from "./row.ts";

/** A row as it is kept. */
export type KeptRow = Pick<Row, "what" | "ours" | "ratio" | "aim" | "isMet">;

/** One run of the command. */
export interface BenchRun {
  /** RFC 3339. */
  at: string;
  /** Short hash of the commit, with `+` if files differed from it. */
  commit: string;
  machine: string;
  rows: KeptRow[];
}

/** Runs that are kept. */
export const MAX_RUNS = 10;

/** The runs of a file, the oldest first. One that is missing or damaged has none. */
export async function readHistory(file: string): Promise<BenchRun[]> {
  try {
    const content = JSON.parse(await readFile(file, "utf8")) as unknown;
    return Array.isArray(content) ? content.filter(isRun) : [];
  } catch {
    return [];
  }
}

/** Appends a run to a file, keeps the last {@link MAX_RUNS}, and returns them. */
export async function appendRun(
  file: string,
  run: BenchRun,
): Promise<BenchRun[]> {
  const runs = [...(await readHistory(file)), run].slice(-MAX_RUNS);
  await mkdir(dirname(file), { recursive: true });
  // Replaced in one step, so that an interrupt leaves the runs before.
  const next = `${file}.next`;
  await writeFile(next, `${JSON.stringify(runs, null, 2)}\n`);
  await rename(next, file);
  return runs;
}

/** A run of these rows, made now. */
export async function createRun(
  rows: readonly Row[],
  machine: string,
): Promise<BenchRun> {
  return {
    at: new Date().toISOString(),
    commit: await readCommit(),
    machine,
    rows: rows.map(({ what, ours, ratio, aim, isMet }) => {
      return { what, ours, ratio, aim, isMet };
    }),
  };
}

/**
 * The runs as a table in Markdown: a line for each figure, a column for each run, the newest last. A figure that a run did
 * not measure is empty; ratios that miss their aim are bold.
 */
export function renderHistory(runs: readonly BenchRun[]): string {
  // By name and aim, since some things are measured against a limit and a peer.
  const keyOf = ({ what, aim }: KeptRow) => `${what}\n${aim}`;
  const aims = new Map<string, KeptRow>();
  for (const run of runs) for (const row of run.rows) aims.set(keyOf(row), row);
  const head = [
    "What",
    "Aim",
    ...runs.map(({ commit, at }) => `${commit} ${at.slice(0, 10)}`),
  ];
  const lines = [...aims].map(([key, { what, aim }]) => [
    what,
    aim,
    ...runs.map(({ rows }) => {
      const row = rows.find((one) => keyOf(one) === key);
      if (!row) return "";
      const text = `${row.ratio.toFixed(2)} (${row.ours})`;
      return row.isMet ? text : `**${text}**`;
    }),
  ]);
  const toLine = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [
    toLine(head),
    toLine(head.map(() => "---")),
    ...lines.map(toLine),
  ].join("\n");
}

function isRun(value: unknown): value is BenchRun {
  const { at, commit, rows } = (value ?? {}) as Partial<BenchRun>;
  return (
    typeof at === "string" && typeof commit === "string" && Array.isArray(rows)
  );
}

async function readCommit(): Promise<string> {
  const run = promisify(execFile);
  try {
    const { stdout } = await run("git", ["rev-parse", "--short", "HEAD"]);
    const status = await run("git", ["status", "--porcelain", "-uno"]);
    return stdout.trim() + (status.stdout === "" ? "" : "+");
  } catch {
    return "unknown";
  }
}
