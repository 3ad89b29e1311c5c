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
  lines: { line: string; area: string; points: Point[] }[];
}

/** Where a value of a line is; without `y` there is no value. */
export interface Point {
  x: number;
  y: number | undefined;
}
