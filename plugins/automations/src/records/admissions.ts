import { MACHINE_PREFIX } from "@gantry/plugin";
import type { Store, StoreOperation } from "@gantry/plugin";
import { MAX_CAP } from "../wire/automation.ts";
import { orderedNumber } from "./run-record.ts";

/** How far ahead of the clock an admission may be and still count: the clock was put back, but not by years. */
const SLACK_MS = 24 * 60 * 60 * 1000;
const PAGE = 500;
/** Longer than the widest window of a cap. */
const KEPT_HERE_MS = 8 * SLACK_MS;

/** A window in which runs are counted, and how many it may hold. */
export interface Window {
  ms: number;
  cap: number;
}

/**
 * When runs passed the gates, for the caps on runs in a window of time. Only the newest that a cap can count are kept. Each is
 * written twice: one copy goes with a snapshot to another machine, the other one stays on this machine through a restore.
 */
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
  /** Keys of up to `limit` admissions. Those of this machine are not among them: a restore may bring the automation back. */
  list(automationId: string, limit: number): Promise<string[]>;
  /**
   * Makes up for a restore: writes the admissions on this machine whose numbers are above the last one that the automation
   * knows of.
   *
   * @returns the number of the last one
   */
  recover(automationId: string, last: number): Promise<number>;
  /** Forgets those of this machine that are too old to count. */
  forget(now: number): Promise<void>;
}

const HERE = MACHINE_PREFIX;
const PREFIX = "admission:";
const prefixOf = (automationId: string) => `${PREFIX}${automationId}:`;

export function openAdmissions(store: Store): Admissions {
  const keyOf = (automationId: string, number: number) =>
    prefixOf(automationId) + orderedNumber(number);

  return {
    toAdd(automationId, number, at) {
      const key = keyOf(automationId, number);
      const stale = keyOf(automationId, number - MAX_CAP);
      return ["", HERE].flatMap((place): StoreOperation[] => [
        { type: "set", key: place + key, value: { at } },
        ...(number > MAX_CAP
          ? [{ type: "remove" as const, key: place + stale }]
          : []),
      ]);
    },

    toRemove: (automationId, number) =>
      ["", HERE].map((place) => ({
        type: "remove",
        key: place + keyOf(automationId, number),
      })),

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

    async recover(automationId, last) {
      const prefix = HERE + prefixOf(automationId);
      const numberOf = (key: string) => Number(key.slice(prefix.length));
      let newest = last;
      let cursor: string | undefined;
      do {
        const page = await store.list(prefix, {
          reverse: true,
          limit: PAGE,
          cursor,
        });
        const lost = page.items.filter(({ key }) => numberOf(key) > last);
        if (lost.length > 0)
          await store.batch(
            lost.map(({ key, value }) => ({
              type: "set",
              key: key.slice(HERE.length),
              value,
            })),
          );
        newest = Math.max(newest, ...lost.map(({ key }) => numberOf(key)));
        const isAll = lost.length < page.items.length;
        cursor = isAll ? undefined : (page.nextCursor ?? undefined);
      } while (cursor !== undefined);
      return newest;
    },

    async forget(now) {
      let cursor: string | undefined;
      do {
        const page = await store.list<{ at: string }>(HERE + PREFIX, {
          limit: PAGE,
          cursor,
        });
        const old = page.items.filter(
          ({ value }) => now - Date.parse(value.at) > KEPT_HERE_MS,
        );
        if (old.length > 0)
          await store.batch(old.map(({ key }) => ({ type: "remove", key })));
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
    },
  };
}
