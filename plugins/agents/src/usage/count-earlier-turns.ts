import type { Collection } from "@gantry/plugin";
import type { TurnRecord } from "../records/turn-record.ts";
import type { UsageBook } from "./usage-book.ts";

const PAGE = 500;

/** Counts the turns of a home that was written before there were sums, so that what they cost is still told. */
export async function countEarlierTurns(
  usage: UsageBook,
  turns: Collection<TurnRecord>,
): Promise<void> {
  if (!(await usage.isEmpty())) return;
  const earlier: TurnRecord[] = [];
  let cursor: string | undefined;
  do {
    const page = await turns.list({ limit: PAGE, order: "ascending", cursor });
    earlier.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor);
  if (earlier.length > 0) await usage.countAll(earlier);
}
