import { onScopeDispose } from "vue";
import { useKit } from "../internal/context.ts";
import type { GantryEvent } from "./eventHub.ts";

/**
 * Calls back for each event of these types while the component lives. All of the page shares one connection. Events that
 * happen while the connection is down are delivered when it is back; if they cannot be, resources are read again.
 *
 * @param types Exact types, or a beginning and `*`: `["notes.*", "agents.turn-finished"]`.
 * @example useEvents<{ title: string }>(["notes.note-added"], (event) => latest.value = event.data.title);
 */
export function useEvents<Data = unknown>(
  types: readonly string[],
  handle: (event: GantryEvent<Data>) => void,
): void {
  // The shape of an event's data is the promise of the plugin that emits it.
  onScopeDispose(
    useKit().events.subscribe(types, handle as (event: GantryEvent) => void),
  );
}
