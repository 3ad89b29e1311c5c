import { computed, type ComputedRef, type WritableComputedRef } from "vue";
import { useKit } from "../internal/context.ts";
import type { ColorModePreference } from "./colorModePort.ts";

/** The colours of the page. */
export interface Theme {
  /** The user's wish; it can be set. */
  readonly preference: WritableComputedRef<ColorModePreference>;
  /** What is shown now. */
  readonly resolved: ComputedRef<"light" | "dark">;
}

/** Gives the colour mode, for things that Tailwind's `dark:` cannot reach, such as a canvas. */
export function useTheme(): Theme {
  const { colorMode } = useKit();
  return {
    preference: computed({
      get: () => colorMode.preference(),
      set: (preference) => colorMode.set(preference),
    }),
    resolved: computed(() => colorMode.resolved()),
  };
}
