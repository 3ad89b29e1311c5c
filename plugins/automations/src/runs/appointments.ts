import type { AutomationRecord } from "../records/automation-record.ts";
import type { AutomationState } from "../records/automation-state.ts";
import type { Appointment } from "../schedule/scheduler.ts";

/** What the scheduler has to know of an automation: its schedules that are on, with their next slots. */
export function toAppointments(
  automation: AutomationRecord,
  state: AutomationState,
): Appointment[] {
  return automation.schedules.flatMap((schedule) => {
    const marks = state.schedules[schedule.id];
    if (!marks || marks.nextSlotAt === null) return [];
    return [
      {
        automationId: automation.id,
        scheduleId: schedule.id,
        times: schedule,
        offsetMs: marks.offsetMs,
        nextSlotAt: Date.parse(marks.nextSlotAt),
      },
    ];
  });
}
