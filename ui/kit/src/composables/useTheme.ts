import { computed, type ComputedRef, type WritableComputedRef } from "vue";
import { useKit } from "../internal/context.ts";

/** What the user wishes: the system's colours, or one of the two. */
export type ColorModePreference = "system" | "light" | "dark";

/** How the shell keeps the colour mode. */
export interface ColorModePort {
  preference(): ColorModePreference;
  resolved(): "light" | "dark";
  set(preference: ColorModePreference): void;
}

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
