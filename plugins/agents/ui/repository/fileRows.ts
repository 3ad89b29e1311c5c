import type { ReviewedFile } from "../review/useReviewedFiles.ts";
import type { DiffFile } from "./diffFile.ts";
import { toLineRows, type Row } from "./diffRows.ts";

/** A file with its rows, of which the first is its head. */
export interface FileRows {
  file: DiffFile;
  rows: readonly Row[];
  /** What the user's review has of it. */
  reviewed: ReviewedFile;
}

/** How a file is laid out. */
export interface FileOptions {
  isFolded: boolean;
  isSplit: boolean;
  /** Of a file that was viewed, only what is new since. */
  onlyNew: boolean;
  /** Its lines are wider than the view. */
  isWide: boolean;
}

/** Lays out a file. */
export function toFileRows(
  { file, lost, newLines, placed }: ReviewedFile,
  options: FileOptions,
): Row[] {
  const rows: Row[] = [{ kind: "head" }];
  if (options.isFolded) return rows;
  const only = options.onlyNew ? newLines : undefined;
  const { lines } = file;
  if (
    file.isBinary ||
    lines.length === 0 ||
    lost.length > 0 ||
    only?.size === 0 ||
    file.notes().length > 0
  )
    rows.push({ kind: "about" });
  if (file.isBinary) return rows;
  const { isSplit } = options;
  for (const row of toLineRows(lines, { isSplit, commented: placed, only }))
    rows.push(row);
  if (options.isWide && !isSplit && lines.length > 0)
    rows.push({ kind: "end" });
  return rows;
}
