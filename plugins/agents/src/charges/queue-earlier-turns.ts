import type { Store } from "@gantry/plugin";
import type { Records } from "../records/records.ts";
import { toTurnCharge } from "./charge-record.ts";
import { EARLIER_SUMS_PREFIX } from "./turn-charges.ts";

/** Set once each turn of the home is in the earlier sums or has a charge. */
const BEGUN_KEY = "turn-charges-begun";
const PAGE_SIZE = 200;

/**
 * Adds a charge for each turn of a home that was written before turns were summed, so that their cost is counted.
 * It runs before any other charge is written, and may be repeated after a crash.
 */
export async function queueEarlierTurns(
  store: Store,
  { turns, charges, batch }: Pick<Records, "turns" | "charges" | "batch">,
): Promise<void> {
  if (await store.get(BEGUN_KEY)) return;
  const sums = await store.list(EARLIER_SUMS_PREFIX, { limit: 1 });
  let cursor: string | undefined;
  const hasSums = sums.items.length > 0;
  for (let isOver = hasSums; !isOver; isOver = cursor === undefined) {
    const page = await turns.list({
      limit: PAGE_SIZE,
      order: "ascending",
      cursor,
    });
    // The creation time of the turn, so that a repeated write replaces the same index entry.
    const operations = page.items.flatMap((turn) =>
      charges.toUpsert({ ...toTurnCharge(turn), createdAt: turn.createdAt }),
    );
    if (operations.length > 0) await batch(operations);
    cursor = page.nextCursor ?? undefined;
  }
  await store.set(BEGUN_KEY, { begun: true });
}
