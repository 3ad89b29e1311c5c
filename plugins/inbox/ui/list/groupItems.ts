import type { InboxItem } from "../../src/contract.ts";

/** Items under one heading. */
export interface ItemGroup {
  key: string;
  label: string;
  /** These need an answer. */
  waits: boolean;
  items: InboxItem[];
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Puts what waits for the user first, and the rest under the day on which it came. The order within stays. */
export function groupItems(
  items: readonly InboxItem[],
  now: number,
): ItemGroup[] {
  const groups = new Map<string, ItemGroup>();
  const isWaiting = (item: InboxItem) => item.blocking && item.state !== "done";
  for (const item of [
    ...items.filter(isWaiting),
    ...items.filter((item) => !isWaiting(item)),
  ]) {
    const waits = isWaiting(item);
    const label = waits
      ? "Needs input"
      : toDayLabel(new Date(item.lastAt), now);
    const group = groups.get(label) ?? { key: label, label, waits, items: [] };
    groups.set(label, group);
    group.items.push(item);
  }
  return [...groups.values()];
}

function toDayLabel(moment: Date, now: number): string {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  const time = moment.getTime();
  if (time >= midnight) return "Today";
  if (time >= midnight - DAY_MS) return "Yesterday";
  return time >= midnight - 6 * DAY_MS ? "This week" : "Earlier";
}
