const dayMs = 24 * 60 * 60 * 1000;

/** A day as people say it: `Today`, `Yesterday`, `Monday, 3 February`. */
export function toDayWords(moment: string, now: number): string {
  const date = new Date(moment);
  if (date.toDateString() === new Date(now).toDateString()) return "Today";
  if (date.toDateString() === new Date(now - dayMs).toDateString())
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
