import type { AutomationRecord } from "../records/automation-record.ts";
import type { AutomationState } from "../records/automation-state.ts";
import type { AutomationView } from "../wire/automation.ts";
import type { ScheduleView, StoredSchedule } from "../wire/schedule.ts";

/** An automation as clients see it: its settings and the results of its runs. Of the secret, only the time of its creation. */
export function toView(
  { secretHash, secretCreatedAt, ...automation }: AutomationRecord,
  state: AutomationState,
  webhookSecretRevokedAt: string | null,
): AutomationView {
  const schedules = automation.schedules.map((schedule) =>
    toScheduleView(schedule, state),
  );
  const times = schedules.flatMap(({ nextRunAt }) => nextRunAt ?? []);
  return {
    ...automation,
    schedules,
    webhook: secretHash !== null,
    webhookSecretCreatedAt: secretCreatedAt,
    webhookSecretRevokedAt,
    nextRunAt: times.sort()[0] ?? null,
    activeRunId: state.activeRunId,
    notifyFailure: state.notifyFailure,
    lastRun: state.lastRun,
    days: state.days,
  };
}

function toScheduleView(
  schedule: StoredSchedule,
  { schedules, createdAt }: AutomationState,
): ScheduleView {
  const marks = schedules[schedule.id];
  const { offsetMs = 0, nextSlotAt = null, lastFiredAt = null } = marks ?? {};
  return {
    ...schedule,
    offsetMs,
    nextRunAt:
      nextSlotAt === null
        ? null
        : new Date(Date.parse(nextSlotAt) + offsetMs).toISOString(),
    lastFiredAt,
    armedAt: marks?.armedAt ?? createdAt,
  };
}
