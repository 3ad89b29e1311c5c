/** A place on the time line of a chart: an hour, a day, or a week of days that would be too thin by themselves. */
export interface Column {
  /** Under the chart. */
  short: string;
  /** Where it is pointed at, and in the table. */
  long: string;
  /** Ms since 1970, if columns stand as far apart as their moments were. */
  at?: number;
  /** One for each series. */
  values: (number | null)[];
  total: number;
  unknown: number;
}
