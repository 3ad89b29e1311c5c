import type { DashboardRange } from "@gantry/ui-kit";

/** Ranges that are chosen by a button, by what the address says of them. */
export const dashboardRanges = [
  { value: "today", label: "Today", days: 1 },
  { value: "7d", label: "7 days", days: 7 },
  { value: "30d", label: "30 days", days: 30 },
  { value: "90d", label: "90 days", days: 90 },
  { value: "1y", label: "Year", days: 365 },
] as const;

export const defaultRange = "30d";

const MAX_DAYS = 366;
const daysByHour = 2;
const dayMs = 86_400_000;
const daysPattern = /^(\d{4}-\d{2}-\d{2})\.\.(\d{4}-\d{2}-\d{2})$/;

/** The day of a zone at an instant, as `2026-03-01`. */
export function toDay(instant: number, timeZone: string): string {
  const parts = new Intl.DateTimeFormat("en-US", {
    ...{ timeZone, calendar: "gregory", numberingSystem: "latn" },
    ...{ year: "numeric", month: "2-digit", day: "2-digit" },
  }).formatToParts(instant);
  const part = (name: string) =>
    parts.find(({ type }) => type === name)?.value ?? "";
  return `${part("year")}-${part("month")}-${part("day")}`;
}

/** What the address of a range of days of one's own says. */
export const toDaysText = (from: string, to: string) => `${from}..${to}`;

/**
 * Reads the range that the address of the dashboard names. One that makes no sense is the last 30 days.
 *
 * @param today The reader's day.
 */
export function toDashboardRange(
  text: unknown,
  today: string,
  timeZone: string,
): { value: string; range: DashboardRange } {
  const own = typeof text === "string" ? daysPattern.exec(text) : null;
  const [, first, last] = own ?? [];
  if (first && last && isRange(first, last))
    return { value: "own", range: toRange(first, last, timeZone) };
  const chosen =
    dashboardRanges.find(({ value }) => value === text) ??
    dashboardRanges.find(({ value }) => value === defaultRange)!;
  return {
    value: chosen.value,
    range: toRange(move(today, 1 - chosen.days), today, timeZone),
  };
}

/** Whether it is a range of at most 366 days. */
export function isRange(from: string, to: string): boolean {
  const days = (Date.parse(to) - Date.parse(from)) / dayMs + 1;
  return days >= 1 && days <= MAX_DAYS;
}

function toRange(from: string, to: string, timeZone: string): DashboardRange {
  const days: string[] = [];
  for (let day = from; day <= to; day = move(day, 1)) days.push(day);
  const by = days.length <= daysByHour ? "hour" : "day";
  const hours = () =>
    days.flatMap((day) =>
      Array.from(
        { length: 24 },
        (_, hour) => `${day}T${String(hour).padStart(2, "0")}`,
      ),
    );
  return {
    ...{ from, to, timeZone, by },
    before: { from: move(from, -days.length), to: move(from, -1) },
    times: by === "hour" ? hours() : days,
  };
}

const move = (day: string, by: number) =>
  new Date(Date.parse(day) + by * dayMs).toISOString().slice(0, 10);
