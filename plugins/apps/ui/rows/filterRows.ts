import { compareCells } from "../cells/compareCells.ts";
import type { Cell, Row } from "../wire.ts";

/** Name of a list's titles where a column is named. No column has it, since it is not kebab-case. */
export const TITLE_KEY = "Title";

/** Writes a cell as the reader sees it. */
export type CellWriter = (cell: Cell | undefined) => string;

/** What rows are sorted by. */
export interface Sort {
  key: string;
  isDescending: boolean;
}

/** Rows in which each word is found. */
export function filterRows(
  rows: readonly Row[],
  query: string,
  write: CellWriter,
): Row[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [...rows];
  return rows.filter((row) => {
    const text = rowText(row, write);
    return words.every((word) => text.includes(word));
  });
}

function rowText(
  { title = "", detail = "", cells }: Row,
  write: CellWriter,
): string {
  const texts = Object.values(cells).map((cell) => write(cell));
  return [title, detail, ...texts].join("\n").toLowerCase();
}

/** Rows by a column; equal ones stay in the order given. */
export function sortRows(
  rows: readonly Row[],
  sort: Sort | undefined,
): readonly Row[] {
  if (!sort) return rows;
  const valueOf = ({ title, cells }: Row): Cell | undefined =>
    sort.key === TITLE_KEY ? title : cells[sort.key];
  return rows.toSorted((one, other) =>
    compareCells(valueOf(one), valueOf(other), sort.isDescending),
  );
}

/** Rows in the order in which they were shown before; those that are new come last. */
export function keepOrder(
  shown: readonly Row[],
  rows: readonly Row[],
): readonly Row[] {
  const places = new Map(shown.map(({ id }, index) => [id, index]));
  const placeOf = ({ id }: Row) => places.get(id) ?? places.size;
  return rows.toSorted((one, other) => placeOf(one) - placeOf(other));
}

/** A sort as the address holds it: `cpu`, `-cpu`. */
export function writeSort(sort: Sort | undefined): string | undefined {
  return sort && `${sort.isDescending ? "-" : ""}${sort.key}`;
}

/** A sort out of the address; nothing if there is no such column. */
export function readSort(
  text: string | undefined,
  keys: readonly string[],
): Sort | undefined {
  if (text === undefined) return undefined;
  const isDescending = text.startsWith("-");
  const key = isDescending ? text.slice(1) : text;
  return keys.includes(key) ? { key, isDescending } : undefined;
}
