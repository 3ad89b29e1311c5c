import type { Records } from "../records/records.ts";
import { DELETING } from "./automations.ts";

const BATCH = 100;

/** Removes what a deleted automation leaves: its runs and admissions, in batches that hold nobody else up. */
export async function removeLeftovers(
  records: Records,
  automationId: string,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const page = await records.runs.list({
      index: "automation",
      prefix: [automationId],
      limit: BATCH,
    });
    const admissions = await records.admissions.list(automationId, BATCH);
    const removals = [
      ...page.items.flatMap((run) => records.runs.toRemove(run)),
      ...admissions.map((key) => ({ type: "remove", key }) as const),
    ];
    if (removals.length > 0) {
      await records.batch(removals);
      continue;
    }
    return records.batch([{ type: "remove", key: DELETING + automationId }]);
  }
}

/** Ids of automations whose removal was interrupted. */
export async function findLeftovers(records: Records): Promise<string[]> {
  const keys = await records.keys(DELETING);
  return keys.map((key) => key.slice(DELETING.length));
}
