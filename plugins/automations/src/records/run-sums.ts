import { createHash } from "node:crypto";
import type { Store, StoreOperation } from "@gantry/plugin";
import * as z from "zod";
import type { RunRecord } from "../wire/run.ts";

/** How many runs ended how, by quarter of an hour of a UTC day: `{"57": {"done": 2, "failed:timeout": 1}}`. */
const dayOfRuns = z.object({
  quarters: z.record(z.string(), z.record(z.string(), z.number().int())),
});

/** Runs of a quarter of an hour that ended alike. */
export interface RunSum {
  /** When the quarter begins. */
  at: number;
  result: RunRecord["result"];
  reason: RunRecord["reason"];
  runs: number;
}

/**
 * How many runs ended how, written together with their ends: runs are removed in time, and a day can be counted without reading all
 * of them. By the quarter, since days begin at a quarter of an hour in every zone of the world.
 */
export interface RunSums {
  /** What counts a run that has ended, for the batch that writes it; the caller holds the automation's lock. */
  toCount(run: Omit<RunRecord, "revision">): Promise<StoreOperation[]>;
  /** What was counted on UTC days, in no order. */
  read(days: readonly string[]): AsyncGenerator<RunSum>;
  /** When the first run ended, to the quarter; `undefined` before there is any. */
  begin(): Promise<number | undefined>;
  /** Removes what was counted more than this many days ago. */
  removeBefore(days: number, now: number): Promise<void>;
}

const PREFIX = "run-sum:";
const PAGE = 500;
const QUARTER_MS = 15 * 60 * 1000;
const DAY_MS = 96 * QUARTER_MS;
/** Longest range of days that can be asked for; two years, so that a year can be compared with the one before. */
export const MAX_RANGE_DAYS = 732;

export function openRunSums(store: Store): RunSums {
  async function* read(days: readonly string[]): AsyncGenerator<RunSum> {
    for (const day of days) {
      let cursor: string | undefined;
      do {
        const page = await store.list<object>(`${PREFIX}${day}:`, {
          limit: PAGE,
          cursor,
        });
        for (const { value } of page.items) yield* sumsOf(day, value);
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
    }
  }

  return {
    read,

    async toCount({ automationId, finishedAt, firedAt, result, reason }) {
      const endedAt = finishedAt ?? firedAt;
      const day = endedAt.slice(0, 10);
      const key = `${PREFIX}${day}:${aliasOf(automationId)}`;
      const { quarters } = parse(await store.get<object>(key));
      const since = Date.parse(endedAt) - Date.parse(day);
      const quarter = (quarters[String(Math.floor(since / QUARTER_MS))] ??= {});
      const end = reason === null ? result : `${result}:${reason}`;
      quarter[end] = (quarter[end] ?? 0) + 1;
      return [{ type: "set", key, value: { quarters } }];
    },

    async removeBefore(days, now) {
      const oldest = new Date(now - days * DAY_MS).toISOString().slice(0, 10);
      for (;;) {
        const { items } = await store.list(PREFIX, { limit: PAGE });
        const old = items.filter(({ key }) => key < PREFIX + oldest);
        if (old.length === 0) return;
        await store.batch(old.map(({ key }) => ({ type: "remove", key })));
      }
    },

    async begin() {
      const { items } = await store.list<object>(PREFIX, { limit: 1 });
      const day = items[0]?.key.split(":")[1];
      let first: number | undefined;
      for await (const { at } of read(day === undefined ? [] : [day]))
        first = Math.min(first ?? at, at);
      return first;
    },
  };
}

/** Keeps what automations write apart. Not the id, since nothing may name an automation that was deleted. */
const aliasOf = (automationId: string) =>
  createHash("sha256").update(automationId).digest("hex").slice(0, 24);

/** Sums are only figures: one that cannot be read counts nothing, and keeps no run from ending. */
function parse(value: object | undefined): z.infer<typeof dayOfRuns> {
  return dayOfRuns.safeParse(value).data ?? { quarters: {} };
}

function* sumsOf(day: string, value: object): Generator<RunSum> {
  const { quarters } = parse(value);
  for (const [quarter, ends] of Object.entries(quarters))
    for (const [end, runs] of Object.entries(ends)) {
      // Written by `toCount` from a run's own fields.
      const [result, reason = null] = end.split(":") as [
        RunRecord["result"],
        RunRecord["reason"]?,
      ];
      const at = Date.parse(day) + Number(quarter) * QUARTER_MS;
      yield { at, result, reason, runs };
    }
}
