import type { Column, Row } from "../wire.ts";
import type { CellWriter } from "./filterRows.ts";

/** Rows that are looked at: enough to know a column, few enough to look again each second. */
const SAMPLE = 200;
const MIN_CHARACTERS = 4;
/** A column of more characters shares the room that is left instead of having a width of its own. */
export const MAX_FIXED_CHARACTERS = 18;
/** What a relative time may grow to. */
const TIME_CHARACTERS = 11;
/** Dot and gap before a word with a colour. */
const DOT_CHARACTERS = 2;
/** Arrow of a sorted column. */
const ARROW_CHARACTERS = 2;
/** Icon of a row before its first cell, and that behind a link that leads out. */
const ICON_CHARACTERS = 3;

/**
 * Widths of columns in characters. They only grow beside `before`, so that values that change do not move the columns.
 */
export function columnWidths(
  columns: readonly Column[],
  rows: readonly Row[],
  write: CellWriter,
  before: ReadonlyMap<string, number> = new Map(),
): Map<string, number> {
  const sample = rows.slice(0, SAMPLE);
  const hasIcons = sample.some(
    ({ icon, tone }) => icon !== undefined || tone !== "neutral",
  );
  return new Map(
    columns.map(({ key, label }, index) => {
      const head = label.length + ARROW_CHARACTERS;
      const cells = sample.map(({ cells }) => lengthOf(cells[key], write));
      const widest =
        Math.max(MIN_CHARACTERS, head, ...cells) +
        (index === 0 && hasIcons ? ICON_CHARACTERS : 0);
      return [key, Math.max(widest, before.get(key) ?? 0)];
    }),
  );
}

function lengthOf(
  cell: Row["cells"][string] | undefined,
  write: CellWriter,
): number {
  if (typeof cell === "object" && cell !== null) {
    if ("time" in cell) return TIME_CHARACTERS;
    if ("tone" in cell) return cell.text.length + DOT_CHARACTERS;
    if ("url" in cell) return write(cell).length + ICON_CHARACTERS;
  }
  return write(cell).length;
}
