import type { ColorModePreference } from "@gantry/ui-kit";
import { computed, ref, watchEffect, type Ref } from "vue";
import { useStored } from "./useStored.ts";

/** Where this browser keeps the choice. The script in the head of the page reads it too. */
export const colorModeKey = "gantry-color-mode";

/** The colours of the page, as the kit's `useTheme` gives them. */
export interface ColorMode {
  preference(): ColorModePreference;
  resolved(): "light" | "dark";
  set(preference: ColorModePreference): void;
}

/** Makes the colour mode of the page: it follows the user's choice, else the system. */
export function createColorMode(): ColorMode {
  const stored: Ref<unknown> = useStored(colorModeKey, "system");
  const system = window.matchMedia("(prefers-color-scheme: light)");
  const systemIsLight = ref(system.matches);
  system.addEventListener(
    "change",
    () => (systemIsLight.value = system.matches),
  );

  const preference = computed<ColorModePreference>(() =>
    stored.value === "light" || stored.value === "dark"
      ? stored.value
      : "system",
  );
  const resolved = computed(() => {
    if (preference.value !== "system") return preference.value;
    return systemIsLight.value ? "light" : "dark";
  });
  watchEffect(() => {
    document.documentElement.className = resolved.value;
  });
  return {
    preference: () => preference.value,
    resolved: () => resolved.value,
    set: (next) => (stored.value = next),
  };
}
