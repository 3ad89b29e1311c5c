/**
 * Colours of a chart, which follow light and dark. `primary` and `second` tell two kinds apart; the others mean what they
 * mean elsewhere. `failed` is striped and `neutral` is an outline, so that it is not the colour alone that says so.
 */
export type ChartColour =
  "primary" | "second" | "success" | "attention" | "failed" | "neutral";

/** One kind of thing that is counted over time. */
export interface ChartSeries {
  /** What the legend and the table call it. */
  label: string;
  colour?: ChartColour;
  /** A number for each of the chart's times; `null` where there is none, which leaves a gap. */
  values: readonly (number | null)[];
}

/** What is missing from the figures, so that it is not taken for 0. */
export interface ChartUnknown {
  /** How many there are at each of the chart's times. */
  counts: readonly number[];
  /** What they are called in the legend and the table: `Unknown cost`. */
  label: string;
  /** Says how many in words: `3 turns of unknown cost`. */
  inWords: (count: number) => string;
}

/** What a `TimeChart` shows. */
export interface TimeChartProps {
  /** What is shown, for people who hear the page and over the table: `Spent by day`. */
  title: string;
  /**
   * The oldest first: days (`2026-03-01`) or hours (`2026-03-01T14`) of the reader's clock without a gap, or any moments
   * (RFC 3339), which stand as far apart as they were.
   */
  times: readonly string[];
  series: readonly ChartSeries[];
  /** `bars` are stacked; `lines` are not. `bars` unless said. */
  kind?: "bars" | "lines";
  /** Writes a value; plain numbers unless said. */
  format?: (value: number) => string;
  /** Only whole numbers make sense. */
  whole?: boolean;
  unknown?: ChartUnknown;
  /** How values are put together where there are more bars than room: `sum` unless said, `mean` for shares. */
  merge?: "sum" | "mean";
  /** Said in place of the chart if there is nothing in it. */
  empty?: string;
  /** Grey shapes of the chart's size. */
  loading?: boolean;
}

/** What a `LabelChart` shows. */
export interface LabelChartProps {
  /** What is shown, for people who hear the page. */
  title: string;
  /** What each bar stands for. */
  labels: readonly string[];
  /** Parts of each bar: a number for each label. */
  series: readonly ChartSeries[];
  /** Writes a value; plain numbers unless said. */
  format?: (value: number) => string;
  /** Said in place of the chart if there is nothing in it. */
  empty?: string;
}

/** What a `GaugeChart` shows. */
export interface GaugeChartProps {
  /** What is measured, for people who hear the page. */
  title: string;
  value: number | undefined;
  /** What would be full; without it the value stands alone. */
  max?: number;
  colour?: ChartColour;
  /** Writes a value; plain numbers unless said. */
  format?: (value: number) => string;
  /** Said in place of the gauge if there is no value. */
  empty?: string;
}
