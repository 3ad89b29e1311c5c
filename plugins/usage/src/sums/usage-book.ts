import type { Log, Store, StoreOperation } from "@gantry/plugin";
import * as z from "zod";
import type { TurnCharge } from "@gantry/plugin-agents/contract";
import { addCharge, createSum, usageSum } from "./usage-sum.ts";
import type { UsageSum } from "./usage-sum.ts";

/** The usage of an agent on a UTC day: for each model and automation, by the quarter of an hour in which turns ended. */
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

const PREFIX = "sum:";
const PAGE = 500;
const QUARTER_MS = 15 * 60 * 1000;

/**
 * The sums of turns, so that the cost of a day is known without reading all its turns. By the quarter of an hour, since
 * days begin at a quarter of an hour in every zone of the world.
 */
export class UsageBook {
  readonly #store: Store;
  readonly #log: Log;

  constructor(store: Store, log: Log) {
    this.#store = store;
    this.#log = log;
  }

  /** The operations that add charges to the sums. No other change may be written between this call and their batch. */
  async toAdd(charges: readonly TurnCharge[]): Promise<StoreOperation[]> {
    const days = new Map<string, AgentDay>();
    for (const charge of charges) {
      const { agentId, agentName } = charge;
      const key = keyOfDay(dayOf(charge), agentId);
      const value = days.get(key) ?? (await this.#get(key)) ?? { parts: [] };
      days.set(key, { ...value, agentName });
      addCharge(sumOf(value.parts, charge), charge);
    }
    return [...days].map(([key, value]) => ({ type: "set", key, value }));
  }

  /** The sums of UTC days, in no order. */
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

  async #get(key: string): Promise<AgentDay | undefined> {
    const stored = await this.#store.get<object>(key);
    return stored && this.#read(key, stored);
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
      this.#log.warn("Sums of usage cannot be read", {
        key,
        why: error.message,
      });
    return data;
  }
}

/** The key of the sums of an agent on a UTC day. */
export const keyOfDay = (day: string, agentId: string) =>
  `${PREFIX}${day}:${agentId}`;

const dayOf = ({ finishedAt }: TurnCharge) => finishedAt.slice(0, 10);

/** The sum that a charge belongs to, which is added if there is none. */
function sumOf(parts: AgentDay["parts"], charge: TurnCharge): UsageSum {
  const { model, automationId, finishedAt } = charge;
  let part = parts.find(
    (each) => each.model === model && each.automationId === automationId,
  );
  if (!part) parts.push((part = { model, automationId, quarters: {} }));
  const midnight = Date.parse(`${dayOf(charge)}T00:00:00Z`);
  const quarter = String(
    Math.floor((Date.parse(finishedAt) - midnight) / QUARTER_MS),
  );
  return (part.quarters[quarter] ??= createSum());
}
