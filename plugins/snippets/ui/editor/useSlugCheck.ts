import {
  api,
  isAbort,
  toApiError,
  useEvents,
  useSettled,
} from "@gantry/ui-kit";
import { computed, shallowRef, watch, type ComputedRef } from "vue";
import { readSlug } from "../../src/language/to-slug.ts";
import type { Kind, SlugCheck } from "../wire.ts";

/** What is known of a slug while it is written. */
export type SlugState =
  | { state: "none" | "checking" }
  | { state: "free"; check: SlugCheck }
  | { state: "taken"; check: SlugCheck }
  | { state: "unknown"; reason: string };

const changes = [
  "snippets.snippet-created",
  "snippets.snippet-changed",
  "snippets.snippet-deleted",
];
const typingMs = 180;

/** Asks the daemon about a slug while it is written. A snippet that is edited never clashes with itself. */
export function useSlugCheck(
  slug: () => string,
  kind: () => Kind,
  except: string | undefined,
): ComputedRef<SlugState> {
  const asked = useSettled(() => readSlug(slug()), typingMs);
  const answer = shallowRef<{ key: string; state: SlugState }>();
  const again = shallowRef(0);
  const keyOf = (name: string) => `${name} ${kind()}`;
  // Another snippet may take it, or free it.
  useEvents(changes, () => (again.value += 1));

  watch(
    [asked, kind, again],
    async ([name], _before, onCleanup) => {
      if (name === undefined) return;
      const abort = new AbortController();
      onCleanup(() => abort.abort());
      const key = keyOf(name);
      try {
        const check = await api.get<SlugCheck>(
          `/api/snips/slug/${encodeURIComponent(name)}`,
          { query: { except, kind: kind() }, signal: abort.signal },
        );
        const state = check.available ? "free" : "taken";
        answer.value = { key, state: { state, check } };
      } catch (thrown) {
        if (isAbort(thrown)) return;
        const reason = toApiError(thrown).detail;
        answer.value = { key, state: { state: "unknown", reason } };
      }
    },
    { immediate: true },
  );

  return computed(() => {
    const name = readSlug(slug());
    if (name === undefined) return { state: "none" };
    return answer.value?.key === keyOf(name)
      ? answer.value.state
      : { state: "checking" };
  });
}
