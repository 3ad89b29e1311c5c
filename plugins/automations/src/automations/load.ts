import type { Clock, Log } from "@gantry/plugin";
import type { AutomationRecord } from "../records/automation-record.ts";
import type { AutomationState } from "../records/automation-state.ts";
import type { Records } from "../records/records.ts";
import { isUnsound, planSchedules } from "../schedule/plan.ts";
import type { Slots } from "../schedule/slots.ts";

/** Dependencies of loading. */
export interface LoadHost {
  records: Records;
  slots: Slots;
  clock: Clock;
  log: Log;
  /** Aborts when the plugin stops. */
  signal: AbortSignal;
}

const PAGE = 200;

/** Automations that are loaded page by page. */
export interface AutomationLoad {
  /**
   * Loads up to a number of automations, and returns whether all are loaded. After a failure the next call goes on where
   * this one stopped. Rejects when the plugin stops.
   */
  loadSome(count: number): Promise<boolean>;
}

/**
 * Hands over each automation with a state that can be gone on with.
 *
 * @param resumed At start, when nothing else is running yet: ids of the queued runs that go on. An automation whose
 * active run is not among them is freed.
 */
export function createAutomationLoad(
  { records, slots, clock, log, signal }: LoadHost,
  resumed: ReadonlySet<string> | undefined,
  take: (automation: AutomationRecord, state: AutomationState) => void,
): AutomationLoad {
  const { automations, states, lock } = records;
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

  /** Reschedules what has lost or wrong marks, and frees an automation whose run cannot be running. */
  function mend(
    automation: AutomationRecord,
    state: AutomationState,
  ): AutomationState {
    const now = clock.now();
    const { enabled } = automation;
    warnOfZones(automation);
    const isPlanned = !automation.schedules.some((schedule) =>
      isUnsound(slots, schedule, state.schedules[schedule.id], {
        enabled,
        now,
      }),
    );
    const isFree =
      !resumed || state.activeRunId === null || resumed.has(state.activeRunId);
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
      const automation = resumed ? listed : await automations.get(id);
      if (!automation) return;
      const stored = await states.get(id);
      const state = mend(automation, stored);
      if (state !== stored) await records.batch(states.toWrite(state));
      take(automation, state);
    });

  return {
    async loadSome(count) {
      for (let loaded = 0; loaded < count;) {
        signal.throwIfAborted();
        const page = await automations.list({ limit: PAGE, cursor });
        // Together, so that what is to be written is one write.
        await Promise.all(page.items.map(loadOne));
        if (page.nextCursor === null) return true;
        cursor = page.nextCursor;
        loaded += page.items.length;
        // A storage that answers at once would keep all requests waiting.
        await new Promise((resolve) => setImmediate(resolve));
      }
      return false;
    },
  };
}
