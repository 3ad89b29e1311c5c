import type { ActiveRun, AutomationActivity } from "../contract.ts";
import type { Records } from "../records/records.ts";
import type { RunBook } from "./run-book.ts";

/** Makes the service by which other plugins see what automations are at. */
export function createActivity(
  book: Pick<RunBook, "unfinished">,
  { automations }: Pick<Records, "automations">,
): AutomationActivity {
  return {
    async activeRuns(_, signal) {
      const items: ActiveRun[] = [];
      let cursor: string | undefined;
      do {
        signal.throwIfAborted();
        const page = await book.unfinished(cursor);
        for (const { id: runId, automationId, startedAt } of page.items) {
          const automation = await automations.get(automationId);
          // The runs of one that is being deleted are ended.
          if (!automation) continue;
          const { name: automationName } = automation;
          items.push({ runId, automationId, automationName, startedAt });
        }
        cursor = page.nextCursor ?? undefined;
      } while (cursor !== undefined);
      return { items };
    },
  };
}
