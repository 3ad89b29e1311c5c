import {
  computed,
  toValue,
  type ComputedRef,
  type MaybeRefOrGetter,
} from "vue";
import { useKit } from "../internal/context.ts";
import type { SlotEntry } from "./slots.ts";

/**
 * The contributions to a place, in their order, for a plugin that shows them otherwise than `SlotOutlet` does, such as
 * behind tabs. Put each component into an `ErrorBoundary`.
 *
 * @param name One of the app's places, or one of your own named `area.place`.
 */
export function useSlot(
  name: MaybeRefOrGetter<string>,
): ComputedRef<readonly SlotEntry[]> {
  const { slots } = useKit();
  return computed(() => slots.value.get(toValue(name)) ?? []);
}
