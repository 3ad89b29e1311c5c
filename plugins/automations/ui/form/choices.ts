import type { Frequency } from "../wire.ts";

export const frequencies: { label: string; value: Frequency }[] = [
  { label: "Hourly", value: "hourly" },
  { label: "Daily", value: "daily" },
  { label: "Weekdays", value: "weekdays" },
  { label: "Weekly", value: "weekly" },
  { label: "Custom", value: "custom" },
];

// A week begins on Monday for most of the world; the numbers are those of cron.
export const weekdays: { label: string; value: number }[] = [
  { label: "Monday", value: 1 },
  { label: "Tuesday", value: 2 },
  { label: "Wednesday", value: 3 },
  { label: "Thursday", value: 4 },
  { label: "Friday", value: 5 },
  { label: "Saturday", value: 6 },
  { label: "Sunday", value: 0 },
];

export const cronPresets: { label: string; cron: string }[] = [
  { label: "Every 15 minutes", cron: "*/15 * * * *" },
  { label: "Every 2 hours", cron: "0 */2 * * *" },
  { label: "Working hours", cron: "0 9-17 * * 1-5" },
  { label: "First of the month", cron: "0 9 1 * *" },
];
