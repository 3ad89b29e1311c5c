import type { TimeChartProps } from "./chart.ts";
import type { Column } from "./column.ts";

const MAX_BARS = 100;
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

/** Tells a moment (RFC 3339) from a day or an hour of the reader's clock. */
export function isMoment(time: string | undefined): time is string {
  return time !== undefined && time.length > "2026-03-01T14".length;
}

/** Makes the columns of moments. Bars of which there are more than a hundred are put together; lines are not. */
export function toMomentColumns({
  times,
  series,
  kind = "bars",
  merge = "sum",
}: Pick<TimeChartProps, "times" | "series" | "kind" | "merge">): Column[] {
  const size = kind === "bars" ? Math.ceil(times.length / MAX_BARS) : 1;
  const moments = times.map((time) => new Date(time).getTime());
  const write = createWriter(moments);
  const columns: Column[] = [];
  for (let start = 0; start < times.length; start += size) {
    const end = Math.min(start + size, times.length);
    const values = series.map((each) =>
      mergeValues(each.values.slice(start, end), merge),
    );
    columns.push({
      ...write(moments[start]!, moments[end - 1]!),
      at: moments[start]!,
      values,
      total: values.reduce<number>((total, value) => total + (value ?? 0), 0),
      unknown: 0,
    });
  }
  return columns;
}

function mergeValues(
  values: readonly (number | null)[],
  merge: "sum" | "mean",
): number | null {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return null;
  const sum = known.reduce((total, value) => total + value, 0);
  return merge === "mean" ? sum / known.length : sum;
}

/** Writes moments as exactly as the time between the first and the last one needs. */
function createWriter(
  moments: readonly number[],
): (from: number, to: number) => Pick<Column, "short" | "long"> {
  const span = (moments.at(-1) ?? 0) - (moments[0] ?? 0);
  const seconds =
    span < 10 * MINUTE_MS ? ({ second: "2-digit" } as const) : undefined;
  const clock = { hour: "2-digit", minute: "2-digit", ...seconds } as const;
  const day = { month: "short", day: "numeric" } as const;
  const short = new Intl.DateTimeFormat(
    undefined,
    span < 2 * DAY_MS ? clock : day,
  );
  const long = new Intl.DateTimeFormat(undefined, {
    ...(span < DAY_MS / 2 ? {} : { weekday: "short", ...day }),
    ...clock,
  });
  return (from, to) => ({
    short: short.format(from),
    long: from === to ? long.format(from) : long.formatRange(from, to),
  });
}
