import type { Clock } from "@gantry/plugin";
import type { AutomationRecord } from "../records/automation-record.ts";
import type { AutomationState } from "../records/automation-state.ts";
import type { Records } from "../records/records.ts";
import { isAhead, planSchedules } from "../schedule/plan.ts";
import type { Slots } from "../schedule/slots.ts";

/** What loading stands on. */
export interface LoadHost {
  records: Records;
  slots: Slots;
  clock: Clock;
}

const PAGE = 200;

/**
 * Hands over each automation with a state that can be gone on with.
 *
 * @param options.noneRuns No run can be going: an automation that waits for the end of one is freed.
 */
export async function loadAutomations(
  { records, slots, clock }: LoadHost,
  { noneRuns }: { noneRuns: boolean },
  take: (automation: AutomationRecord, state: AutomationState) => void,
): Promise<void> {
  const { automations, states, lock } = records;
  let cursor: string | undefined;

  /** Plans schedules anew whose marks are lost, or were made by a clock that was wrong. */
  function mend(
    automation: AutomationRecord,
    state: AutomationState,
  ): AutomationState {
    const now = clock.now();
    const isSound = automation.schedules.every(({ id }) => {
      const marks = state.schedules[id];
      return marks && !isAhead(marks, now);
    });
    const isFree = !noneRuns || state.activeRunId === null;
    if (isSound && isFree) return state;
    const past = { ...automation, marks: state.schedules };
    return {
      ...state,
      ...(!isFree && { activeRunId: null }),
      schedules: planSchedules(slots, automation, past, now),
    };
  }

  const loadOne = (id: string) =>
    lock.run(id, async () => {
      const automation = await automations.get(id);
      if (!automation) return;
      const stored = await states.get(id);
      const state = mend(automation, stored);
      if (state !== stored) await records.batch(states.toWrite(state));
      take(automation, state);
    });

  do {
    const page = await automations.list({ limit: PAGE, cursor });
    for (const { id } of page.items) await loadOne(id);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}
