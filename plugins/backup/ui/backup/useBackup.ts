import { useEvents, useResource } from "@gantry/ui-kit";
import { computed, onScopeDispose, shallowRef, watch } from "vue";
import type { Job, State } from "../wire.ts";
import { STATE_PATH } from "./calls.ts";
import { newerOf } from "./jobWords.ts";
import { shareComposable } from "./shareComposable.ts";

const PROGRESS = "backup.job-progressed";
/** A job that is silent for longer may be over without an event: one that ended while the daemon was being stopped, say. */
const MAX_SILENCE_MS = 3_000;

/** How the backup stands, kept fresh; all of the page shares it. */
export const useBackup = shareComposable(() => {
  const resource = useResource<State>(STATE_PATH, {
    refreshOn: ["backup.*"],
    refreshIf: ({ type }) => type !== PROGRESS,
  });
  /** What the newest event said of a job. */
  const told = shallowRef<Job>();
  useEvents<Job>([PROGRESS], ({ data }) => (told.value = data));

  watch(resource.data, (state) => {
    if (state?.job === null) told.value = undefined;
  });
  const job = computed(() =>
    newerOf(resource.data.value?.job ?? undefined, told.value),
  );

  let timer: ReturnType<typeof setTimeout> | undefined;
  function listen(): void {
    clearTimeout(timer);
    if (!job.value) return;
    timer = setTimeout(() => {
      void resource.refresh();
      listen();
    }, MAX_SILENCE_MS);
  }
  watch(job, listen, { immediate: true });
  onScopeDispose(() => clearTimeout(timer));

  return { resource, state: resource.data, job };
});

export type Backup = ReturnType<typeof useBackup>;
