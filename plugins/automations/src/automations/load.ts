import type { Clock, Log } from "@gantry/plugin";
import type { AutomationRecord } from "../records/automation-record.ts";
import type { AutomationState } from "../records/automation-state.ts";
import type { Records } from "../records/records.ts";
import type { SlotMark } from "../records/machine-marks.ts";
import { isUnsound, planSchedules, withClaimed } from "../schedule/plan.ts";
import type { Slots } from "../schedule/slots.ts";

/** Dependencies of loading. */
export interface LoadHost {
  records: Records;
  slots: Slots;
  clock: Clock;
  log: Log;
}

const PAGE = 200;
const NO_SLOTS: ReadonlyMap<string, SlotMark> = new Map();

/**
 * Passes each automation to `take`, with a state from which it can continue.
 *
 * @param resumed At start, when nothing else is running yet: ids of the queued runs that continue. An automation whose active run
 *   is not among them is freed.
 */
export async function loadAutomations(
  { records, slots, clock, log }: LoadHost,
  resumed: ReadonlySet<string> | undefined,
  take: (automation: AutomationRecord, state: AutomationState) => void,
): Promise<void> {
  const { automations, states, marks, lock } = records;
  const claimed = await marks.readSlots();
  let cursor: string | undefined;

  function warnOfZones({ id, enabled, schedules }: AutomationRecord): void {
    for (const { id: scheduleId, enabled: isOn, timeZone } of schedules) {
      if (!enabled || !isOn || slots.knows(timeZone)) continue;
      log.warn("A time zone is not known here, so its schedule stands still", {
        automationId: id,
        scheduleId,
        timeZone,
      });
    }
  }

  /**
   * Plans schedules again whose marks are lost or wrong, or from a snapshot and behind what this machine did, and frees an
   * automation whose run cannot be active.
   */
  function repair(
    automation: AutomationRecord,
    stored: AutomationState,
  ): AutomationState {
    const now = clock.now();
    const { enabled } = automation;
    warnOfZones(automation);
    const known = withClaimed(
      stored.schedules,
      claimed.get(automation.id) ?? NO_SLOTS,
      now,
    );
    const state = { ...stored, schedules: known };
    const isPlanned =
      known === stored.schedules &&
      !automation.schedules.some((schedule) =>
        isUnsound(slots, schedule, state.schedules[schedule.id], {
          enabled,
          now,
        }),
      );
    const isFree =
      !resumed || state.activeRunId === null || resumed.has(state.activeRunId);
    if (isPlanned && isFree) return stored;
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
      const automation = resumed ? listed : await automations.get(id);
      if (!automation) return;
      const stored = await states.get(id);
      const whole = resumed ? await withRuns(records, stored) : stored;
      const state = repair(automation, whole);
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

/**
 * What happened on this machine since the snapshot that a state is from: the runs that count for caps, from whose numbers it
 * numbers on, and those that crashed.
 */
async function withRuns(
  { runs, admissions, marks }: Records,
  stored: AutomationState,
): Promise<AutomationState> {
  const { id, admissions: last } = stored;
  const crashes = await marks.crashes(id);
  const state =
    crashes && crashes.join() !== stored.crashes.join()
      ? { ...stored, crashes: [...crashes] }
      : stored;
  const admitted = await admissions.recover(id, last);
  if (admitted === last) return state;
  const { items } = await runs.list({
    ...{ index: "automation", prefix: [id], limit: 1 },
  });
  const number = Math.max(stored.runs, items[0]?.number ?? 0);
  return { ...state, runs: number, admissions: admitted };
}
