import {
  formatBytes,
  formatDateTime,
  formatDuration,
  formatNumber,
  formatPercent,
} from "@gantry/ui-kit";
import type { Cell } from "../wire.ts";

/** A cell in words, as it is searched and as it names things. */
export function cellText(cell: Cell | undefined, now = Date.now()): string {
  if (cell === null || cell === undefined) return "";
  if (typeof cell === "string") return cell;
  if (typeof cell === "number") return formatNumber(cell);
  if (typeof cell === "boolean") return cell ? "Yes" : "No";
  if ("time" in cell) return formatDateTime(cell.time, now);
  if ("bytes" in cell) return formatBytes(cell.bytes);
  if ("percent" in cell) return formatPercent(cell.percent);
  if ("milliseconds" in cell) return formatDuration(cell.milliseconds);
  return cell.text;
}

/** Tells whether a cell leads somewhere by itself. */
export function isLink(cell: Cell | undefined): boolean {
  return (
    typeof cell === "object" &&
    cell !== null &&
    ("path" in cell || "page" in cell || "url" in cell)
  );
}
