import { toApiError, useEvents, type ApiError } from "@gantry/ui-kit";
import { computed, onScopeDispose, ref, shallowRef, watch } from "vue";
import { useRoute, useRouter } from "vue-router";
import { startRestore } from "../backup/calls.ts";
import { useBackup } from "../backup/useBackup.ts";
import type { RestoreChoice } from "../wire.ts";

/** Stands in the address for a restore before which there was none. */
const NEVER = "never";
/** A daemon that can be asked and knows of no restore for so long has none. */
const LOST_MS = 15_000;
/** What ends a restore may be over before its event can be heard: the log of events is restored too. */
const ASK_EVERY_MS = 1_500;

/**
 * Begins a restore and follows it over the restart of the daemon. That one was begun is in the address, as the time of the
 * restore before it: the page may be made again meanwhile, and the browser paired again.
 */
export function useRestore() {
  const route = useRoute();
  const router = useRouter();
  const { resource, state, job } = useBackup();
  const isStarting = ref(false);
  const refusal = shallowRef<ApiError>();

  const before = computed(() => {
    const { after } = route.query;
    return typeof after === "string" ? after : undefined;
  });
  const restoring = computed(() =>
    job.value?.kind === "restore" ? job.value : undefined,
  );
  const result = computed(() => {
    const last = state.value?.lastRestore ?? undefined;
    if (before.value === undefined || !last || restoring.value)
      return undefined;
    return last.at === before.value ? undefined : last;
  });
  /** The daemon cannot be asked: it restarts, most likely. */
  const isAway = computed(() => resource.error.value !== undefined);

  // One that fails before it replaces anything may be reported by its event alone.
  const failure = ref<string>();
  useEvents<{ failure: string | null }>(
    ["backup.restore-ended"],
    ({ data }) => (failure.value = data.failure ?? undefined),
  );

  const isWaiting = computed(
    () =>
      before.value !== undefined &&
      !result.value &&
      !restoring.value &&
      !isStarting.value,
  );
  const isLost = ref(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  watch(
    () => isWaiting.value && !isAway.value,
    (isIdle) => {
      clearTimeout(timer);
      isLost.value = false;
      if (isIdle) timer = setTimeout(() => (isLost.value = true), LOST_MS);
    },
    { immediate: true },
  );
  onScopeDispose(() => clearTimeout(timer));

  let asking: ReturnType<typeof setInterval> | undefined;
  watch(
    isWaiting,
    (waits) => {
      clearInterval(asking);
      if (waits)
        asking = setInterval(() => void resource.refresh(), ASK_EVERY_MS);
    },
    { immediate: true },
  );
  onScopeDispose(() => clearInterval(asking));

  async function start(
    choice: RestoreChoice & { keepsSessions: boolean },
  ): Promise<void> {
    if (isStarting.value) return;
    isStarting.value = true;
    refusal.value = undefined;
    failure.value = undefined;
    const after = state.value?.lastRestore?.at ?? NEVER;
    try {
      await startRestore(choice);
      await router.replace({ query: { after } });
    } catch (thrown) {
      const error = toApiError(thrown);
      if (isCutOff(error)) await router.replace({ query: { after } });
      else refusal.value = error;
    } finally {
      isStarting.value = false;
      void resource.refresh();
    }
  }

  return {
    job: restoring,
    isRunning: computed(
      () =>
        isStarting.value || restoring.value !== undefined || isWaiting.value,
    ),
    isAway,
    /** Nothing is known of the restore that was begun. */
    isLost: computed(() => isWaiting.value && isLost.value),
    result,
    failure,
    refusal,
    start,
    /** Goes back to the choice. */
    reset: () => router.replace({ query: {} }),
  };
}

/** Tells whether the daemon stopped before it answered, as it does for a restore, rather than refused. */
function isCutOff({ status, code }: ApiError): boolean {
  return status === 0 || (status === 503 && !code.startsWith("BACKUP_"));
}
