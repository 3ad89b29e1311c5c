import { isAbort, toApiError, useSettled, type ApiError } from "@gantry/ui-kit";
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

  async function load(): Promise<void> {
    running?.abort();
    const wanted = choice();
    preview.value = undefined;
    error.value = undefined;
    pending.value = wanted !== undefined;
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

  const asked = useSettled(() => JSON.stringify(choice()), SETTLE_MS);
  watch(asked, () => void load(), { immediate: true });
  // What is shown belongs to the choice before.
  watch(
    () => JSON.stringify(choice()),
    () => {
      preview.value = undefined;
      error.value = undefined;
      pending.value = choice() !== undefined;
    },
  );
  onScopeDispose(() => running?.abort());

  return { preview, error, pending, load };
}
