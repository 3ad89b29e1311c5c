import { onScopeDispose } from "vue";
import type { GantryEvent } from "../events/eventHub.ts";
import { useKit } from "../internal/context.ts";

/** When to ask anew. */
export interface RefreshOptions {
  /** Types of events after which the answer may be another one: `["notes.*"]`. */
  refreshOn?: readonly string[];
  /** Leaves out events that do not concern it: `(event) => event.subject === props.id`. */
  refreshIf?: (event: GantryEvent) => boolean;
}

/** Calls `refresh` on such events, and whenever events were missed. */
export function refreshOn(options: RefreshOptions, refresh: () => void): void {
  const { events } = useKit();
  const undo = [events.onStale(refresh)];
  if (options.refreshOn?.length) {
    undo.push(
      events.subscribe(options.refreshOn, (event) => {
        if (options.refreshIf?.(event) ?? true) refresh();
      }),
    );
  }
  onScopeDispose(() => undo.forEach((dispose) => dispose()));
}
