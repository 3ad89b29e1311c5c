const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Days at which something is special in every zone: leap days, turns of years, ends of months. */
const SPECIAL_DAYS = ["2028-02-29", "2024-02-29", "2026-12-31", "2027-02-28"];

/** Edges before the years that are searched. */
const KNOWN_EDGES: Readonly<Record<string, readonly string[]>> = {
  "Pacific/Apia": ["2011-12-30T10:00:00Z", "2011-09-24T14:00:00Z"],
};

/**
 * Moments worth walking over in a zone: each change of its clocks in two years, found by comparing what `Intl` shows
 * from day to day, and days that are special everywhere.
 */
export function findEdges(timeZone: string): number[] {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    hour: "numeric",
    minute: "numeric",
  });
  const edges = (KNOWN_EDGES[timeZone] ?? []).map((text) => Date.parse(text));
  const start = Date.UTC(2026, 0, 1, 12);
  let before = format.format(start);
  for (let day = 1; day < 2 * 365; day++) {
    const shown = format.format(start + day * DAY);
    if (shown !== before) edges.push(start + day * DAY - 12 * HOUR);
    before = shown;
  }
  return [...edges, ...SPECIAL_DAYS.map((day) => Date.parse(day))];
}
