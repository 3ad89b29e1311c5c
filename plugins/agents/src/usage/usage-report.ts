import type { Collection } from "@gantry/plugin";
import type { AgentUsage } from "../contract.ts";
import { errors } from "../errors.ts";
import { addUsage, NO_USAGE } from "../live/usage.ts";
import type { TurnRecord } from "../records/turn-record.ts";

export const USAGE_GROUPS = ["day", "agent", "model", "automation"] as const;
export type UsageGroup = (typeof USAGE_GROUPS)[number];

/** What was spent under one key. */
export interface UsageRow {
  /** The day, or the id or name of what it is grouped by; `null` for what belongs to none. */
  key: string | null;
  name: string | null;
  turns: number;
  usage: AgentUsage;
}

const DAY_MS = 24 * 60 * 60 * 1000;
const MAX_DAYS = 366;

/**
 * Sums the turns of a range of UTC days. Only these days are read, however much there was before.
 *
 * @throws USAGE_RANGE_INVALID
 */
export async function reportUsage(
  turns: Collection<TurnRecord>,
  { from, to, by }: { from: string; to: string; by: UsageGroup },
): Promise<{ items: UsageRow[]; total: Omit<UsageRow, "key" | "name"> }> {
  const rows = new Map<string | null, UsageRow>();
  const total = { turns: 0, usage: NO_USAGE };
  for (const day of daysBetween(from, to)) {
    for await (const turn of turnsOf(turns, day)) {
      const { key, name } = keyOf(turn, by);
      let row = rows.get(key);
      if (!row) rows.set(key, (row = { key, name, turns: 0, usage: NO_USAGE }));
      row.turns += 1;
      row.usage = addUsage(row.usage, turn.usage);
      // An agent may have been renamed; the last name counts.
      row.name = name;
      total.turns += 1;
      total.usage = addUsage(total.usage, turn.usage);
    }
  }
  const items = [...rows.values()];
  if (by === "day") items.reverse();
  else
    items.sort(
      (left, right) => (right.usage.costUsd ?? -1) - (left.usage.costUsd ?? -1),
    );
  return { items, total };
}

function keyOf(
  turn: TurnRecord,
  by: UsageGroup,
): Pick<UsageRow, "key" | "name"> {
  switch (by) {
    case "day":
      return { key: turn.day, name: null };
    case "agent":
      return { key: turn.agentId, name: turn.agentName };
    case "model":
      return { key: turn.model, name: null };
    case "automation":
      return {
        key: turn.automationId,
        name: turn.automationId === null ? null : turn.agentName,
      };
  }
}

function daysBetween(from: string, to: string): string[] {
  const first = Date.parse(`${from}T00:00:00Z`);
  const last = Date.parse(`${to}T00:00:00Z`);
  if (!(first <= last) || last - first > MAX_DAYS * DAY_MS)
    throw errors.USAGE_RANGE_INVALID();
  const days: string[] = [];
  for (let at = first; at <= last; at += DAY_MS)
    days.push(new Date(at).toISOString().slice(0, 10));
  return days;
}

async function* turnsOf(
  turns: Collection<TurnRecord>,
  day: string,
): AsyncGenerator<TurnRecord> {
  let cursor: string | undefined;
  for (;;) {
    const page = await turns.list({
      index: "day",
      prefix: [day],
      order: "ascending",
      limit: 500,
      cursor,
    });
    yield* page.items;
    if (page.nextCursor === null) return;
    cursor = page.nextCursor;
  }
}
