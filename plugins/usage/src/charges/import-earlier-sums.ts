import type { Store } from "@gantry/plugin";
import type { TurnCharges } from "@gantry/plugin-agents/contract";
import { keyOfDay } from "../sums/usage-book.ts";

/** Dependencies of {@link importEarlierSums}. */
export interface ImportHost {
  store: Store;
  charges: TurnCharges;
  signal: AbortSignal;
}

const IMPORTED_KEY = "earlier-sums-imported";

/**
 * Copies the sums that the agents plugin kept in earlier versions, once. It runs before any charge is counted, so that
 * after a crash it can begin again.
 */
export async function importEarlierSums({
  store,
  charges,
  signal,
}: ImportHost): Promise<void> {
  if (await store.get(IMPORTED_KEY)) return;
  let cursor: string | undefined;
  do {
    const page = await charges.listEarlierSums({ cursor }, signal);
    if (page.items.length > 0)
      await store.batch(
        page.items.map(({ day, agentId, sums }) => ({
          type: "set",
          key: keyOfDay(day, agentId),
          value: sums,
        })),
      );
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  await store.set(IMPORTED_KEY, { imported: true });
}
