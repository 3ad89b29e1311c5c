import { scaleLinear } from "d3-scale";
import {
  area,
  curveMonotoneX,
  line,
  stack,
  stackOffsetDiverging,
} from "d3-shape";
import { DIGIT, placeBands, placeMoments, toLabels } from "./placeColumns.ts";
import type { Column } from "./column.ts";
import type { Box, Drawing, Point } from "./drawing.ts";

/** Room round the plot, in px. */
const TOP = 12;
const BOTTOM = 22;
const RIGHT = 4;
/** Height of the mark of what is unknown. */
const MARK = 5;

export interface DrawingOptions {
  width: number;
  height: number;
  kind: "bars" | "lines";
  format: (value: number) => string;
  whole: boolean;
}

/** Lays a chart out. */
export function toDrawing(
  columns: readonly Column[],
  { width, height, kind, format, whole }: DrawingOptions,
): Drawing {
  const [lowest, highest] = extentOf(columns, kind);
  const isFlat = lowest === 0 && highest === 0;
  const bottom = height - BOTTOM;
  const y = scaleLinear([lowest, isFlat ? 1 : highest], [bottom, TOP]).nice(4);
  const ticks = y
    .ticks(4)
    .filter((value) => (isFlat ? value === 0 : !whole || value % 1 === 0))
    .map((value) => ({ y: y(value), label: format(value) }));
  const longest = Math.max(...ticks.map(({ label }) => label.length));
  const left = Math.ceil(longest * DIGIT) + 10;
  const plot = {
    x: left,
    y: TOP,
    width: Math.max(0, width - RIGHT - left),
    height: bottom - TOP,
  };
  const places = kind === "lines" ? placeMoments(columns, plot) : undefined;
  const { centers, bands, barWidth } = places ?? placeBands(columns, plot);
  return {
    plot,
    ticks,
    bars: kind === "lines" ? [] : toBars(columns, y, centers, barWidth),
    marks: toMarks(columns, (value) => Math.min(y(value), bottom), {
      kind,
      centers,
      barWidth,
    }),
    lines: kind === "bars" ? [] : toLines(columns, y, centers),
    bands,
    labels: toLabels(columns, centers, plot),
  };
}

/** The lowest and the highest value that is drawn; 0 is always between them. */
function extentOf(
  columns: readonly Column[],
  kind: "bars" | "lines",
): [number, number] {
  let lowest = 0;
  let highest = 0;
  for (const { values } of columns) {
    let above = 0;
    let below = 0;
    for (const value of values) {
      const part = value ?? 0;
      if (kind === "lines") {
        above = Math.max(above, part);
        below = Math.min(below, part);
      } else if (part > 0) above += part;
      else below += part;
    }
    lowest = Math.min(lowest, below);
    highest = Math.max(highest, above);
  }
  return [lowest, highest];
}

function toBars(
  columns: readonly Column[],
  y: (value: number) => number,
  centers: readonly number[],
  width: number,
): Drawing["bars"] {
  const seriesCount = columns[0]?.values.length ?? 0;
  const layers = stack<Column, number>()
    .keys(Array.from({ length: seriesCount }, (_, index) => index))
    .value((column, key) => column.values[key] ?? 0)
    .offset(stackOffsetDiverging)([...columns]);
  return layers
    .flatMap((layer) =>
      layer.map(([low, high], index) => ({
        series: layer.key,
        x: (centers[index] ?? 0) - width / 2,
        width,
        y: y(high),
        // What is there is seen, however little it is beside the rest.
        height: high > low ? Math.max(y(low) - y(high), 1.5) : 0,
        isTop: high > low && high >= (columns[index]?.total ?? 0),
      })),
    )
    .filter((bar) => bar.height > 0);
}

function toMarks(
  columns: readonly Column[],
  topOf: (value: number) => number,
  {
    kind,
    centers,
    barWidth,
  }: { kind: "bars" | "lines"; centers: readonly number[]; barWidth: number },
): Box[] {
  return columns.flatMap((column, index) => {
    if (column.unknown === 0) return [];
    const values = column.values.map((value) => value ?? 0);
    const top = kind === "bars" ? column.total : Math.max(...values);
    return {
      x: (centers[index] ?? 0) - barWidth / 2,
      y: topOf(top) - MARK - 1,
      width: barWidth,
      height: MARK,
    };
  });
}

function toLines(
  columns: readonly Column[],
  y: (value: number) => number,
  centers: readonly number[],
): Drawing["lines"] {
  const seriesCount = columns[0]?.values.length ?? 0;
  const draw = line<Point>()
    .defined((point) => point.y !== undefined)
    .x((point) => point.x)
    .y((point) => point.y ?? 0)
    .curve(curveMonotoneX);
  const fill = area<Point>()
    .defined((point) => point.y !== undefined)
    .x((point) => point.x)
    .y1((point) => point.y ?? 0)
    .y0(y(0))
    .curve(curveMonotoneX);
  return Array.from({ length: seriesCount }, (_, series) => {
    const points = columns.map(({ values }, index) => {
      const value = values[series] ?? null;
      return {
        x: centers[index] ?? 0,
        y: value === null ? undefined : y(value),
      };
    });
    return { line: draw(points) ?? "", area: fill(points) ?? "", points };
  });
}
