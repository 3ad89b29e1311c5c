import type { Log, Store, StoreOperation } from "@gantry/plugin";
import * as z from "zod";
import type { AgentUsage } from "../agent-usage.ts";
import type { TurnRecord } from "../records/turn-record.ts";
import { countLate, countTurn, createSum, usageSum } from "./usage-sum.ts";
import type { UsageSum } from "./usage-sum.ts";

/** What an agent spent on a UTC day: for each model and automation, by the quarter of an hour in which turns ended. */
const agentDay = z.object({
  agentName: z.string(),
  parts: z.array(
    z.object({
      model: z.string().nullable(),
      automationId: z.string().nullable(),
      quarters: z.record(z.string(), usageSum),
    }),
  ),
});

type AgentDay = z.infer<typeof agentDay>;

/** The turns of one agent, model and automation that ended within a quarter of an hour. */
export interface UsageCell {
  /** When the quarter begins. */
  at: number;
  agentId: string;
  agentName: string;
  model: string | null;
  automationId: string | null;
  sum: UsageSum;
}

/** The part of a turn's record that sums are made of. */
type Counted = Pick<
  TurnRecord,
  | "agentId"
  | "agentName"
  | "model"
  | "automationId"
  | "finishedAt"
  | "day"
  | "stopReason"
  | "usage"
>;

const PREFIX = "usage-sum:";
const PAGE = 500;
const QUARTER_MS = 15 * 60 * 1000;

/**
 * Sums that are written together with each turn, so that the cost of a day is known without reading all its turns. By
 * the quarter, since days begin at a quarter of an hour in every zone of the world.
 */
export class UsageBook {
  readonly #store: Store;
  readonly #log: Log;

  constructor(store: Store, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** What counts a turn, for the batch that writes it. The caller keeps others from writing of the same agent meanwhile. */
  toCount(turn: Counted): Promise<StoreOperation[]> {
    return this.#toChange(turn, (sum) => countTurn(sum, turn));
  }

  /** What adds to a counted turn. `turn` is as it was counted; the caller keeps others away as for `toCount`. */
  toCountLate(turn: Counted, late: AgentUsage): Promise<StoreOperation[]> {
    return this.#toChange(turn, (sum) => countLate(sum, turn.usage, late));
  }

  /** Whether nothing was ever counted. */
  async isEmpty(): Promise<boolean> {
    return (await this.#store.list(PREFIX, { limit: 1 })).items.length === 0;
  }

  /** Counts turns where nothing was counted before, all of them in one write. */
  async countAll(turns: readonly Counted[]): Promise<void> {
    const days = new Map<string, AgentDay>();
    for (const turn of turns) {
      const key = keyOf(turn);
      const day = days.get(key) ?? { agentName: turn.agentName, parts: [] };
      days.set(key, day);
      countTurn(sumOf(day, turn), turn);
    }
    await this.#store.batch(
      [...days].map(([key, value]) => ({ type: "set", key, value })),
    );
  }

  /** What was spent on UTC days, in no order. */
  async *cells(days: readonly string[]): AsyncGenerator<UsageCell> {
    for (const day of days) {
      let cursor: string | undefined;
      do {
        const { items, nextCursor } = await this.#store.list<object>(
          `${PREFIX}${day}:`,
          { limit: PAGE, cursor },
        );
        for (const { key, value } of items) yield* this.#cellsOf(key, value);
        cursor = nextCursor ?? undefined;
      } while (cursor !== undefined);
    }
  }

  /** The first quarter of an hour in which a turn ended; `undefined` before there is any. */
  async begin(): Promise<number | undefined> {
    const { items } = await this.#store.list<object>(PREFIX, { limit: 1 });
    const day = items[0]?.key.split(":")[1];
    let first: number | undefined;
    for await (const { at } of this.cells(day === undefined ? [] : [day]))
      first = Math.min(first ?? at, at);
    return first;
  }

  async #toChange(
    turn: Counted,
    change: (sum: UsageSum) => void,
  ): Promise<StoreOperation[]> {
    const { agentName } = turn;
    const key = keyOf(turn);
    const stored = await this.#store.get<object>(key);
    const value: AgentDay = (stored && this.#read(key, stored)) ?? {
      agentName,
      parts: [],
    };
    value.agentName = agentName;
    change(sumOf(value, turn));
    return [{ type: "set", key, value }];
  }

  *#cellsOf(key: string, stored: object): Generator<UsageCell> {
    const value = this.#read(key, stored);
    const [day, agentId] = key.slice(PREFIX.length).split(":");
    if (!value || day === undefined || agentId === undefined) return;
    const midnight = Date.parse(`${day}T00:00:00Z`);
    const { agentName, parts } = value;
    for (const { model, automationId, quarters } of parts)
      for (const [quarter, sum] of Object.entries(quarters)) {
        const at = midnight + Number(quarter) * QUARTER_MS;
        yield { at, agentId, agentName, model, automationId, sum };
      }
  }

  #read(key: string, stored: object): AgentDay | undefined {
    const { data, error } = agentDay.safeParse(stored);
    if (error)
      this.#log.warn("Sums of spending cannot be read", {
        key,
        why: error.message,
      });
    return data;
  }
}

const keyOf = ({ day, agentId }: Counted) => `${PREFIX}${day}:${agentId}`;

/** The sum that a turn belongs to, which is made if there is none. */
function sumOf(
  { parts }: AgentDay,
  { model, automationId, day, finishedAt }: Counted,
): UsageSum {
  let part = parts.find(
    (each) => each.model === model && each.automationId === automationId,
  );
  if (!part) parts.push((part = { model, automationId, quarters: {} }));
  const since = Date.parse(finishedAt) - Date.parse(`${day}T00:00:00Z`);
  const quarter = String(Math.floor(since / QUARTER_MS));
  return (part.quarters[quarter] ??= createSum());
}
