import { scaleBand, scaleLinear } from "d3-scale";
import type { Column } from "./column.ts";
import type { Box, Drawing } from "./drawing.ts";

/** Width of a character of the axis, in px. */
export const DIGIT = 6.6;
const LABEL_WIDTH = 64;
const LABEL_GAP = 16;

/** Where columns are along the time line. */
export interface Places {
  centers: number[];
  bands: Box[];
  barWidth: number;
}

/** Columns beside each other, each as wide as the next. */
export function placeBands(columns: readonly Column[], plot: Box): Places {
  const x = scaleBand(
    columns.map((_, index) => index),
    [plot.x, plot.x + plot.width],
  )
    .paddingInner(columns.length > 60 ? 0.2 : 0.3)
    .paddingOuter(0.15);
  const step = x.step();
  const centers = columns.map(
    (_, index) => (x(index) ?? 0) + x.bandwidth() / 2,
  );
  return {
    centers,
    bands: centers.map((center) => ({
      ...plot,
      x: center - step / 2,
      width: step,
    })),
    barWidth: Math.min(x.bandwidth(), 48),
  };
}

/** Columns as far apart as their moments were; nothing if they have none, or all have the same. */
export function placeMoments(
  columns: readonly Column[],
  plot: Box,
): Places | undefined {
  const first = columns[0]?.at;
  const last = columns.at(-1)?.at;
  if (first === undefined || last === undefined || first >= last)
    return undefined;
  const inset = 6;
  const x = scaleLinear(
    [first, last],
    [plot.x + inset, plot.x + plot.width - inset],
  );
  const centers = columns.map(({ at }) => x(at ?? first));
  const end = plot.x + plot.width;
  return {
    centers,
    // Each is pointed at from half the way to its neighbours.
    bands: centers.map((center, index) => {
      const before = centers[index - 1];
      const after = centers[index + 1];
      const from = before === undefined ? plot.x : (before + center) / 2;
      const to = after === undefined ? end : (center + after) / 2;
      return { ...plot, x: from, width: Math.max(0, to - from) };
    }),
    barWidth: 2,
  };
}

/** As many labels as there is room for, counted from the end, so that the newest has one. */
export function toLabels(
  columns: readonly Column[],
  centers: readonly number[],
  plot: Box,
): Drawing["labels"] {
  const longest = Math.max(0, ...columns.map(({ short }) => short.length));
  const textWidth = longest * DIGIT;
  const room = Math.max(LABEL_WIDTH, textWidth + LABEL_GAP);
  const end = plot.x + plot.width;
  const labels: Drawing["labels"] = [];
  let free = Number.POSITIVE_INFINITY;
  for (let index = columns.length - 1; index >= 0; index -= 1) {
    const center = centers[index] ?? 0;
    if (center > free + 0.5) continue;
    const x = Math.min(center, end - textWidth / 2);
    free = x - room;
    labels.push({ x, text: columns[index]!.short });
  }
  return labels.reverse();
}
