const DAY_MS = 24 * 60 * 60 * 1000;

/** Formats a day: `Today`, `Yesterday`, `Monday, 3 February`. */
export function toDayLabel(moment: string, now: number): string {
  const date = new Date(moment);
  if (date.toDateString() === new Date(now).toDateString()) return "Today";
  if (date.toDateString() === new Date(now - DAY_MS).toDateString())
    return "Yesterday";
  return new Intl.DateTimeFormat(undefined, {
    weekday: "long",
    day: "numeric",
    month: "long",
    ...(date.getFullYear() === new Date(now).getFullYear()
      ? {}
      : { year: "numeric" }),
  }).format(date);
}
