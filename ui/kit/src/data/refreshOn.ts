import { onScopeDispose, toValue, watch, type MaybeRefOrGetter } from "vue";
import type { GantryEvent } from "../events/eventHub.ts";
import { useKit } from "../internal/context.ts";

/** When to read again. */
export interface RefreshOptions {
  /** Types of events after which the answer may be another one: `["notes.*"]`. */
  refreshOn?: MaybeRefOrGetter<readonly string[] | undefined>;
  /** Leaves out events that do not concern it: `(event) => event.subject === props.id`. */
  refreshIf?: (event: GantryEvent) => boolean;
  /**
   * Asks again so long after each answer, while the page is visible; nothing is asked while this is `undefined`. After
   * failures the pause grows, up to 30 s.
   */
  refreshEveryMs?: MaybeRefOrGetter<number | undefined>;
}

/** Calls `refresh` on such events, and whenever events were missed. */
export function refreshOn(options: RefreshOptions, refresh: () => void): void {
  const { events } = useKit();
  onScopeDispose(events.onStale(refresh));
  watch(
    () => toValue(options.refreshOn),
    (types, _before, onCleanup) => {
      if (!types?.length) return;
      onCleanup(
        events.subscribe(types, (event) => {
          if (options.refreshIf?.(event) ?? true) refresh();
        }),
      );
    },
    { immediate: true },
  );
}
