import type { Clock, Log } from "@gantry/plugin";
import type { AutomationRecord } from "../records/automation-record.ts";
import type {
  AutomationState,
  ScheduleState,
} from "../records/automation-state.ts";
import type { Records } from "../records/records.ts";
import { isAhead, planSchedules } from "../schedule/plan.ts";
import type { Slots } from "../schedule/slots.ts";
import type { StoredSchedule } from "../wire/schedule.ts";

/** What loading stands on. */
export interface LoadHost {
  records: Records;
  slots: Slots;
  clock: Clock;
  log: Log;
}

const PAGE = 200;

/**
 * Hands over each automation with a state that can be gone on with.
 *
 * @param options.atStart Nothing else is at work yet, and no run can be going: an automation that waits for the end of
 * one is freed.
 */
export async function loadAutomations(
  { records, slots, clock, log }: LoadHost,
  { atStart }: { atStart: boolean },
  take: (automation: AutomationRecord, state: AutomationState) => void,
): Promise<void> {
  const { automations, states, lock } = records;
  let cursor: string | undefined;

  /** What a schedule has is as it should be: it is planned, and not by a clock that was wrong. */
  function isSound(
    { id: automationId, enabled }: AutomationRecord,
    schedule: StoredSchedule,
    marks: ScheduleState | undefined,
    now: number,
  ): boolean {
    const { id: scheduleId, timeZone } = schedule;
    const isOn = enabled && schedule.enabled;
    if (isOn && !slots.knows(timeZone)) {
      log.warn("A time zone is not known here, so its schedule stands still", {
        automationId,
        scheduleId,
        timeZone,
      });
      return true;
    }
    if (!marks || isAhead(marks, now)) return false;
    // It may have stood still because its zone was not known.
    return marks.nextSlotAt !== null || !isOn;
  }

  /** Plans schedules anew whose marks are lost or wrong, and frees an automation whose run cannot be going. */
  function mend(
    automation: AutomationRecord,
    state: AutomationState,
  ): AutomationState {
    const now = clock.now();
    const isPlanned = automation.schedules.every((schedule) =>
      isSound(automation, schedule, state.schedules[schedule.id], now),
    );
    const isFree = !atStart || state.activeRunId === null;
    if (isPlanned && isFree) return state;
    const past = { ...automation, marks: state.schedules };
    return {
      ...state,
      ...(!isFree && { activeRunId: null }),
      ...(!isPlanned && {
        schedules: planSchedules(slots, automation, past, now),
      }),
    };
  }

  const loadOne = (listed: AutomationRecord) =>
    lock.run(listed.id, async () => {
      const { id } = listed;
      const automation = atStart ? listed : await automations.get(id);
      if (!automation) return;
      const stored = await states.get(id);
      const state = mend(automation, stored);
      if (state !== stored) await records.batch(states.toWrite(state));
      take(automation, state);
    });

  do {
    const page = await automations.list({ limit: PAGE, cursor });
    // Together, so that what is to be written is one write.
    await Promise.all(page.items.map(loadOne));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}
