import { scaleBand, scaleLinear } from "d3-scale";
import { area, curveMonotoneX, line, stack } from "d3-shape";
import type { Column } from "./toColumns.ts";

/** Room round the plot, in px. */
const TOP = 12;
const BOTTOM = 22;
const RIGHT = 4;
const DIGIT = 6.6;
/** Height of the mark of what is unknown. */
const MARK = 5;
const LABEL_WIDTH = 64;

/** A rectangle of the chart, in px. */
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Everything that is drawn, in px. */
export interface Drawing {
  plot: Box;
  ticks: { y: number; label: string }[];
  labels: { x: number; text: string }[];
  /** Of each column: where it is pointed at. */
  bands: Box[];
  bars: (Box & { series: number; isTop: boolean })[];
  /** Where something is not known: above what is. */
  marks: Box[];
  lines: { line: string; area: string; points: { x: number; y: number }[] }[];
}

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
  const seriesCount = columns[0]?.values.length ?? 0;
  const highest = Math.max(
    0,
    ...columns.map(({ values, total }) =>
      kind === "bars" ? total : Math.max(...values),
    ),
  );
  const bottom = height - BOTTOM;
  const y = scaleLinear([0, highest || 1], [bottom, TOP]).nice(4);
  const values = y
    .ticks(4)
    .filter((value) => (highest > 0 ? !whole || value % 1 === 0 : value === 0));
  const ticks = values.map((value) => ({ y: y(value), label: format(value) }));
  const longest = Math.max(...ticks.map(({ label }) => label.length));
  const left = Math.ceil(longest * DIGIT) + 10;

  const x = scaleBand(
    columns.map((_, index) => index),
    [left, width - RIGHT],
  )
    .paddingInner(columns.length > 60 ? 0.2 : 0.3)
    .paddingOuter(0.15);
  const center = (index: number) => (x(index) ?? 0) + x.bandwidth() / 2;
  const bandTop = (value: number) => Math.min(y(value), bottom);

  const bars =
    kind === "lines"
      ? []
      : stack<Column, number>()
          .keys(Array.from({ length: seriesCount }, (_, index) => index))
          .value((column, key) => column.values[key] ?? 0)([...columns])
          .flatMap((layer) =>
            layer.map(([low, high], index) => ({
              series: layer.key,
              x: x(index) ?? 0,
              width: Math.min(x.bandwidth(), 48),
              y: y(high),
              // What is there is seen, however little it is beside the rest.
              height: high > low ? Math.max(y(low) - y(high), 1.5) : 0,
              isTop: high > low && high >= (columns[index]?.total ?? 0),
            })),
          )
          .map((bar) => ({
            ...bar,
            x: bar.x + (x.bandwidth() - bar.width) / 2,
          }))
          .filter((bar) => bar.height > 0);

  const marks = columns.flatMap((column, index) => {
    if (column.unknown === 0) return [];
    const top = kind === "bars" ? column.total : Math.max(...column.values);
    const markWidth = Math.min(x.bandwidth(), 48);
    return {
      x: center(index) - markWidth / 2,
      y: bandTop(top) - MARK - 1,
      width: markWidth,
      height: MARK,
    };
  });

  const lines =
    kind === "bars"
      ? []
      : Array.from({ length: seriesCount }, (_, series) => {
          const points = columns.map((column, index) => ({
            x: center(index),
            y: y(column.values[series] ?? 0),
          }));
          const draw = line<(typeof points)[number]>()
            .x((point) => point.x)
            .y((point) => point.y)
            .curve(curveMonotoneX);
          const fill = area<(typeof points)[number]>()
            .x((point) => point.x)
            .y1((point) => point.y)
            .y0(bottom)
            .curve(curveMonotoneX);
          return {
            line: draw(points) ?? "",
            area: fill(points) ?? "",
            points,
          };
        });

  const plot = {
    x: left,
    y: TOP,
    width: Math.max(0, width - RIGHT - left),
    height: bottom - TOP,
  };
  const most = Math.max(1, Math.floor(plot.width / LABEL_WIDTH));
  const every = Math.ceil(columns.length / most);
  const step = x.step();
  return {
    plot,
    ticks,
    bars,
    marks,
    lines,
    bands: columns.map((_, index) => ({
      ...plot,
      x: center(index) - step / 2,
      width: step,
    })),
    labels: columns.flatMap(({ short }, index) =>
      // Counted from the end, so that the newest has its label.
      (columns.length - 1 - index) % every === 0
        ? { x: center(index), text: short }
        : [],
    ),
  };
}
