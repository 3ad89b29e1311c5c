import { readRun } from "./pairLines.ts";
import type { NumberedLine } from "./parsePatch.ts";

/** A row of a file in a difference. Lines are given by their index; -1 where there is none. */
export type Row =
  /** `about`: what is said before the lines or in place of them. `end`: room for the scroll bar. */
  | { kind: "head" | "about" | "end" }
  | { kind: "hunk"; line: number }
  | { kind: "line"; line: number }
  /** A line as it was and a line as it is, side by side; the same one where it has not changed. */
  | { kind: "pair"; before: number; after: number }
  /** A comment on a line, or the field for it. */
  | { kind: "comment"; line: number };

/** How the lines of a file are laid out. */
export interface RowOptions {
  isSplit: boolean;
  /** Lines below which there is a comment. */
  commented: Pick<ReadonlySet<number>, "has">;
  /** The lines to show, with the hunks that they are in; all if missing. */
  only?: ReadonlySet<number> | undefined;
}

/** Lays out the lines of a file: each is in one row, in order; side by side a line that has not changed is on both sides. */
export function toLineRows(
  lines: readonly NumberedLine[],
  { isSplit, commented, only }: RowOptions,
): Row[] {
  const rows: Row[] = [];
  const addComments = (before: number, after: number) => {
    for (const line of before === after ? [before] : [before, after])
      if (commented.has(line)) rows.push({ kind: "comment", line });
  };
  for (let at = 0; at < lines.length;) {
    const sign = lines[at]?.sign;
    if (sign === "@") {
      const end = only ? endOfHunk(lines, at) : at;
      const isShown = !only || hasAny(only, at, end);
      if (isShown) rows.push({ kind: "hunk", line: at });
      at = isShown ? at + 1 : end;
    } else if (!isSplit) {
      rows.push(toLineRow(at));
      addComments(at, at);
      at += 1;
    } else if (sign === " ") {
      rows.push({ kind: "pair", before: at, after: at });
      addComments(at, at);
      at += 1;
    } else {
      const { from, removed, added } = readRun(lines, at);
      for (let index = 0; index < Math.max(removed, added); index += 1) {
        const before = index < removed ? from + index : -1;
        const after = index < added ? from + removed + index : -1;
        rows.push({ kind: "pair", before, after });
        addComments(before, after);
      }
      at += removed + added;
    }
  }
  return rows;
}

const lineRows: Row[] = [];

/** One object for the same line of all files: thousands of files have hundreds of thousands of lines. */
function toLineRow(line: number): Row {
  return (lineRows[line] ??= { kind: "line", line });
}

/** Where a line is among the rows, -1 if it is in none. */
export function rowOfLine(rows: readonly Row[], line: number): number {
  return rows.findIndex((row) =>
    row.kind === "pair"
      ? row.before === line || row.after === line
      : row.kind === "line" && row.line === line,
  );
}

/** Where a line is among rows, and which one it is. */
export interface RowPlace {
  row: number;
  side: "before" | "after";
  number: number;
}

/** The place of the first line from a row on; `undefined` if none follows. */
export function placeOfRow(
  lines: readonly NumberedLine[],
  rows: readonly Row[],
  from: number,
): RowPlace | undefined {
  const isLine = ({ kind }: Row) => kind === "line" || kind === "pair";
  for (let at = from; at < rows.length; at += 1) {
    const row = rows[at];
    if (!row || !isLine(row)) continue;
    const { before, after } = lines[lineOf(row)] ?? {};
    const number = after ?? before;
    if (number == null) continue;
    return { row: at, side: after == null ? "before" : "after", number };
  }
  return undefined;
}

/** Finds the row of a line again among other rows: the line itself, else the next one; -1 if none is left. */
export function findLineRow(
  lines: readonly NumberedLine[],
  rows: readonly Row[],
  { side, number }: RowPlace,
): number {
  let next = -1;
  for (const [index, row] of rows.entries()) {
    for (const line of row.kind === "pair"
      ? [row.before, row.after]
      : [lineOf(row)]) {
      const at = lines[line]?.[side] ?? -1;
      if (at === number) return index;
      if (at > number && next < 0) next = index;
    }
  }
  return next;
}

/** One line of a row, -1 for a row without. */
function lineOf(row: Row): number {
  if (row.kind === "pair") return row.after < 0 ? row.before : row.after;
  return row.kind === "line" ? row.line : -1;
}

function endOfHunk(lines: readonly NumberedLine[], head: number): number {
  let end = head + 1;
  while (end < lines.length && lines[end]?.sign !== "@") end += 1;
  return end;
}

function hasAny(
  lines: ReadonlySet<number>,
  from: number,
  end: number,
): boolean {
  for (let line = from; line < end; line += 1) if (lines.has(line)) return true;
  return false;
}
