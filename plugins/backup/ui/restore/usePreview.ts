import { isAbort, toApiError, type ApiError } from "@gantry/ui-kit";
import { onScopeDispose, ref, shallowRef, watch } from "vue";
import { previewRestore } from "../backup/calls.ts";
import type { Preview, RestoreChoice } from "../wire.ts";

const SETTLE_MS = 300;

/** What a restore would do, requested again when the choice changes. `undefined` as choice asks nothing. */
export function usePreview(choice: () => RestoreChoice | undefined) {
  const preview = shallowRef<Preview>();
  const error = shallowRef<ApiError>();
  const pending = ref(false);
  let running: AbortController | undefined;

  /** Removes what was found for another choice, and gives up what is still being asked for it. */
  function clear(): void {
    running?.abort();
    running = undefined;
    preview.value = undefined;
    error.value = undefined;
    pending.value = choice() !== undefined;
  }

  async function load(): Promise<void> {
    clear();
    const wanted = choice();
    if (!wanted) return;
    const current = new AbortController();
    running = current;
    try {
      const answer = await previewRestore(wanted, current.signal);
      if (running === current) preview.value = answer;
    } catch (thrown) {
      if (running === current && !isAbort(thrown))
        error.value = toApiError(thrown);
    } finally {
      if (running === current) pending.value = false;
    }
  }

  void load();
  watch(
    () => JSON.stringify(choice()),
    (_choice, _before, onCleanup) => {
      clear();
      const timer = setTimeout(() => void load(), SETTLE_MS);
      onCleanup(() => clearTimeout(timer));
    },
  );
  onScopeDispose(() => running?.abort());

  return { preview, error, pending, load };
}
