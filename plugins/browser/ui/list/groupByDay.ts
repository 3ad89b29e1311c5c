/** Items of one day, in their original order. */
export interface Day<Item> {
  /** `Today`, `Yesterday` or the date. */
  label: string;
  items: Item[];
}

/** Groups items by day in the reader's time zone. */
export function groupByDay<Item>(
  items: readonly Item[],
  timeOf: (item: Item) => string,
  now: Date,
): Day<Item>[] {
  const days = new Map<string, Day<Item>>();
  for (const item of items) {
    const date = new Date(timeOf(item));
    const key = date.toDateString();
    const day = days.get(key) ?? { label: toLabel(date, now), items: [] };
    day.items.push(item);
    days.set(key, day);
  }
  return [...days.values()];
}

function toLabel(date: Date, now: Date): string {
  const yesterday = new Date(now);
  yesterday.setDate(now.getDate() - 1);
  if (date.toDateString() === now.toDateString()) return "Today";
  if (date.toDateString() === yesterday.toDateString()) return "Yesterday";
  return date.toLocaleDateString(undefined, {
    weekday: "long",
    day: "numeric",
    month: "long",
    ...(date.getFullYear() !== now.getFullYear() && { year: "numeric" }),
  });
}
