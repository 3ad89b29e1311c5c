import { api, isAbort } from "@gantry/ui-kit";
import { onScopeDispose, shallowRef, watch, type Ref } from "vue";
import type { Reading, WorstCase } from "../wire.ts";
import { toBody, toScheduleBody } from "./draft.ts";
import type { Draft, ScheduleDraft } from "./draft.ts";
import { problemsOf } from "./problems.ts";

const SETTLE_MS = 200;

/** What the daemon reads in a draft. */
export interface Readings {
  /** By the key of the schedule; `undefined` while the daemon cannot be asked. */
  readings: Readonly<Ref<ReadonlyMap<string, Reading> | undefined>>;
  /** What rules and caps allow at most, as long as the limits are right. */
  worstCase: Readonly<Ref<WorstCase | undefined>>;
}

/** Reads the schedules and limits of a draft, while they are being written. */
export function useReadings(draft: Ref<Draft>): Readings {
  const readings = shallowRef<ReadonlyMap<string, Reading> | undefined>(
    new Map(),
  );
  const worstCase = shallowRef<WorstCase>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking: AbortController | undefined;

  async function read(schedules: readonly ScheduleDraft[]): Promise<void> {
    asking?.abort();
    asking = new AbortController();
    const keys = schedules.map(({ key }) => key);
    try {
      const answer = await api.post<{
        items: Reading[];
        worstCase: WorstCase;
      }>("/api/automations/preview", {
        body: toQuestion(draft.value),
        signal: asking.signal,
      });
      const { items } = answer;
      worstCase.value = hasSoundLimits(draft.value)
        ? answer.worstCase
        : undefined;
      readings.value = new Map(keys.map((key, index) => [key, items[index]!]));
    } catch (thrown) {
      // Saving still checks everything.
      if (!isAbort(thrown)) readings.value = undefined;
    }
  }

  watch(
    () => JSON.stringify(toQuestion(draft.value)),
    () => {
      clearTimeout(timer);
      timer = setTimeout(() => void read(draft.value.schedules), SETTLE_MS);
    },
  );
  void read(draft.value.schedules);
  onScopeDispose(() => {
    clearTimeout(timer);
    asking?.abort();
  });
  return { readings, worstCase };
}

const hasSoundLimits = (draft: Draft) =>
  !Object.keys(problemsOf(draft)).some((path) => path.startsWith("limits"));

/** Limits that are wrong are left out, so that schedules are read all the same. */
function toQuestion(draft: Draft) {
  const { limits, webhook } = toBody(draft);
  return {
    schedules: draft.schedules.map(toScheduleBody),
    webhook,
    ...(hasSoundLimits(draft) && { limits }),
  };
}
