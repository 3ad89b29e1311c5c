import type { HistoryRow } from "./wire.ts";

/** Pixels from one lane to the next. */
export const laneWidth = 14;
/** Lanes further right are not drawn, since a reader cannot follow more. */
export const mostLanes = 14;

/** A line of the graph in one row. */
export interface GraphLine {
  /** As SVG has it. */
  path: string;
  color: string;
}

/** They can be told apart on light and on dark ground. */
const colors = [
  "#2f7fe6",
  "#0f9f6e",
  "#c77c02",
  "#d6489a",
  "#8a63e8",
  "#0e9aa7",
  "#e0524d",
  "#6f9a12",
];

export function colorOf(lane: number): string {
  return colors[lane % colors.length] ?? "#2f7fe6";
}

/** Where the middle of a lane is. */
export function middleOf(lane: number): number {
  return laneWidth / 2 + Math.min(lane, mostLanes) * laneWidth;
}

/** Lanes that a row takes up. */
export function lanesOf(row: HistoryRow): number {
  const all = [row.lane, ...row.into, ...row.through, ...row.out];
  return Math.min(mostLanes, Math.max(...all)) + 1;
}

/** The lines of a row of some height: from above into the commit, past it, and from it to its parents. */
export function graphLines(row: HistoryRow, height: number): GraphLine[] {
  const middle = height / 2;
  const at = middleOf(row.lane);
  const isDrawn = (lane: number) => lane <= mostLanes;
  return [
    ...row.through.filter(isDrawn).map((lane) => ({
      path: `M${middleOf(lane)} 0V${height}`,
      color: colorOf(lane),
    })),
    ...row.into.filter(isDrawn).map((lane) => ({
      path: curve(middleOf(lane), 0, at, middle),
      color: colorOf(lane),
    })),
    ...row.out.filter(isDrawn).map((lane) => ({
      path: curve(at, middle, middleOf(lane), height),
      color: colorOf(lane),
    })),
  ];
}

function curve(fromX: number, fromY: number, toX: number, toY: number): string {
  if (fromX === toX) return `M${fromX} ${fromY}V${toY}`;
  const bend = (fromY + toY) / 2;
  return `M${fromX} ${fromY}C${fromX} ${bend} ${toX} ${bend} ${toX} ${toY}`;
}
