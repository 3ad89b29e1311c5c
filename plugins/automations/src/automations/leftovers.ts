import type { Records } from "../records/records.ts";
import { DELETING } from "./automations.ts";

const BATCH = 100;

/** Removes what a deleted automation leaves: its runs, calls and admissions, in batches that do not block other work. */
export async function removeLeftovers(
  records: Records,
  automationId: string,
  signal: AbortSignal,
): Promise<void> {
  const { runs, calls, payloads, admissions } = records;
  const whole = { index: "automation", prefix: [automationId], limit: BATCH };
  while (!signal.aborted) {
    const [run, call, payload, keys] = await Promise.all([
      runs.list(whole),
      calls.list(whole),
      payloads.list(whole),
      admissions.list(automationId, BATCH),
    ]);
    const removals = [
      ...run.items.flatMap((one) => runs.toRemove(one)),
      ...call.items.flatMap((one) => calls.toRemove(one)),
      ...payload.items.flatMap((one) => payloads.toRemove(one)),
      ...keys.map((key) => ({ type: "remove", key }) as const),
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
