import type { TimeChartProps } from "./chart.ts";
import { isMoment, toMomentColumns } from "./toMomentColumns.ts";
import type { Column } from "./column.ts";

const MAX_COLUMNS = 100;
const DAYS_OF_WEEK = 7;

/** Makes the columns of a chart; more than a hundred days become weeks. */
export function toColumns(
  props: Pick<
    TimeChartProps,
    "times" | "series" | "unknown" | "kind" | "merge"
  >,
): Column[] {
  const { times, series, unknown } = props;
  if (isMoment(times[0])) return toMomentColumns(props);
  const size = times.length > MAX_COLUMNS ? DAYS_OF_WEEK : 1;
  // The newest week is the whole one.
  const first = times.length % size;
  const starts = first > 0 ? [0] : [];
  for (let at = first; at < times.length; at += size) starts.push(at);
  return starts.map((start, index) => {
    const end = starts[index + 1] ?? times.length;
    const sum = (values: readonly (number | null)[]) =>
      values
        .slice(start, end)
        .reduce<number>((total, value) => total + (value ?? 0), 0);
    const values = series.map((each) => sum(each.values));
    return {
      ...toWords(times[start]!, times[end - 1]!),
      values,
      total: values.reduce((total, value) => total + value, 0),
      unknown: sum(unknown?.counts ?? []),
    };
  });
}

// The times are those of the reader's clock already, so they are written as they are.
const zone = { timeZone: "UTC" } as const;
const day = { month: "short", day: "numeric" } as const;

function toWords(from: string, to: string): Pick<Column, "short" | "long"> {
  const write = (time: string, options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(undefined, { ...zone, ...options }).format(
      new Date(time.length > 10 ? `${time}:00:00Z` : `${time}T00:00:00Z`),
    );
  if (from.length > 10) {
    const hour = { hour: "2-digit", minute: "2-digit" } as const;
    const weekday = { weekday: "short", ...day } as const;
    return {
      short: write(from, hour),
      long: `${write(from, weekday)}, ${write(from, hour)}`,
    };
  }
  const year = { year: "numeric", ...day } as const;
  const short = write(from, day);
  if (from === to)
    return { short, long: write(from, { weekday: "short", ...year }) };
  return { short, long: `${short} – ${write(to, year)}` };
}
