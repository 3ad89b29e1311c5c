import type { Store, StoreOperation } from "@gantry/plugin";
import { MAX_CAP } from "../wire/automation.ts";
import { orderedNumber } from "./run-record.ts";

/** How far ahead of the clock an admission may be and still count: the clock was put back, but not by years. */
const SLACK_MS = 24 * 60 * 60 * 1000;
const PAGE = 500;

/** A window in which runs are counted, and how many it may hold. */
export interface Window {
  ms: number;
  cap: number;
}

/** When runs passed the gates, for the caps on runs in a window of time. Only the newest that a cap can count are kept. */
export interface Admissions {
  /** What writes the next admission, and forgets the one that is too old to count. */
  toAdd(
    automationId: string,
    number: number,
    at: string,
  ): readonly StoreOperation[];
  /** What takes an admission back: its run did not begin. */
  toRemove(automationId: string, number: number): readonly StoreOperation[];
  /** How many runs began in each window that ends now; counting stops at the cap. */
  count(
    automationId: string,
    windows: readonly Window[],
    now: number,
  ): Promise<number[]>;
  /** Keys of up to `limit` admissions. */
  list(automationId: string, limit: number): Promise<string[]>;
}

const prefixOf = (automationId: string) => `admission:${automationId}:`;

export function openAdmissions(store: Store): Admissions {
  const keyOf = (automationId: string, number: number) =>
    prefixOf(automationId) + orderedNumber(number);

  return {
    toAdd(automationId, number, at) {
      const operations: StoreOperation[] = [
        { type: "set", key: keyOf(automationId, number), value: { at } },
      ];
      if (number > MAX_CAP) {
        const stale = keyOf(automationId, number - MAX_CAP);
        operations.push({ type: "remove", key: stale });
      }
      return operations;
    },

    toRemove: (automationId, number) => [
      { type: "remove", key: keyOf(automationId, number) },
    ],

    async count(automationId, windows, now) {
      const counts = windows.map(() => 0);
      const widest = Math.max(0, ...windows.map(({ ms }) => ms));
      const isFull = () =>
        windows.every(({ cap }, index) => counts[index]! >= cap);
      let cursor: string | undefined;
      while (!isFull()) {
        const page = await store.list<{ at: string }>(prefixOf(automationId), {
          reverse: true,
          limit: PAGE,
          cursor,
        });
        for (const { value } of page.items) {
          const age = now - Date.parse(value.at);
          if (age >= widest || isFull()) return counts;
          if (age < -SLACK_MS) continue;
          for (const [index, { ms, cap }] of windows.entries())
            if (age < ms && counts[index]! < cap) counts[index]!++;
        }
        if (page.nextCursor === null) break;
        cursor = page.nextCursor;
      }
      return counts;
    },

    async list(automationId, limit) {
      const { items } = await store.list(prefixOf(automationId), { limit });
      return items.map(({ key }) => key);
    },
  };
}
