import { api, isAbort } from "@gantry/ui-kit";
import { onScopeDispose, shallowRef, watch, type Ref } from "vue";
import type { Reading } from "../wire.ts";
import { toScheduleBody } from "./draft.ts";
import type { Draft, ScheduleDraft } from "./draft.ts";

const SETTLE_MS = 200;

/**
 * What the daemon reads in the schedules of a draft, while they are being written. By the key of the schedule;
 * `undefined` while it cannot be asked.
 */
export function useReadings(
  draft: Ref<Draft>,
): Readonly<Ref<ReadonlyMap<string, Reading> | undefined>> {
  const readings = shallowRef<ReadonlyMap<string, Reading> | undefined>(
    new Map(),
  );
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asking: AbortController | undefined;

  async function read(schedules: readonly ScheduleDraft[]): Promise<void> {
    asking?.abort();
    asking = new AbortController();
    const keys = schedules.map(({ key }) => key);
    try {
      const { items } = await api.post<{ items: Reading[] }>(
        "/api/automations/preview",
        {
          body: { schedules: schedules.map(toScheduleBody) },
          signal: asking.signal,
        },
      );
      readings.value = new Map(keys.map((key, index) => [key, items[index]!]));
    } catch (thrown) {
      // Saving still checks everything.
      if (!isAbort(thrown)) readings.value = undefined;
    }
  }

  watch(
    () => JSON.stringify(draft.value.schedules.map(toScheduleBody)),
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
  return readings;
}
