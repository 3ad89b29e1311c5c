import type { Cell } from "../wire.ts";

const collator = new Intl.Collator(undefined, {
  numeric: true,
  sensitivity: "base",
});

/** What a cell is sorted by: a number or a text. */
function sortKey(cell: Cell | undefined): number | string | undefined {
  if (cell === null || cell === undefined || cell === "") return undefined;
  if (typeof cell === "boolean") return cell ? 1 : 0;
  if (typeof cell !== "object") return cell;
  if ("time" in cell) return new Date(cell.time).getTime();
  if ("bytes" in cell) return cell.bytes;
  if ("percent" in cell) return cell.percent;
  if ("milliseconds" in cell) return cell.milliseconds;
  return cell.text;
}

/** Compares cells of a column. Numbers come before texts, and what is empty comes last in either direction. */
export function compareCells(
  one: Cell | undefined,
  other: Cell | undefined,
  isDescending = false,
): number {
  const first = sortKey(one);
  const second = sortKey(other);
  if (first === undefined || second === undefined)
    return Number(first === undefined) - Number(second === undefined);
  const order =
    typeof first === "number" && typeof second === "number"
      ? first - second
      : typeof first === "string" && typeof second === "string"
        ? collator.compare(first, second)
        : Number(typeof first === "string") -
          Number(typeof second === "string");
  return isDescending ? 0 - order : order;
}
