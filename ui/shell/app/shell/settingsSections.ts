import { useKit } from "@gantry/ui-kit/host";
import { computed, type ComputedRef } from "vue";

/** A page of the settings. */
export interface SettingsSection {
  to: string;
  label: string;
  icon: string;
}

/** The shell's own pages of the settings, and one for each contribution of a plugin. */
export function useSettingsSections(): {
  own: readonly SettingsSection[];
  added: ComputedRef<SettingsSection[]>;
} {
  const { slots } = useKit();
  return {
    own: [
      {
        to: "/settings/devices",
        label: "Devices",
        icon: "i-lucide-monitor-smartphone",
      },
      {
        to: "/settings/security",
        label: "Security",
        icon: "i-lucide-shield",
      },
      {
        to: "/settings/appearance",
        label: "Appearance",
        icon: "i-lucide-sun-moon",
      },
      { to: "/settings/plugins", label: "Plugins", icon: "i-lucide-blocks" },
      { to: "/settings/about", label: "About", icon: "i-lucide-info" },
    ],
    added: computed(() =>
      (slots.value.get("settings") ?? []).map((entry) => ({
        to: `/settings/of/${entry.key}`,
        label: entry.title ?? entry.plugin,
        icon: entry.icon ?? "i-lucide-blocks",
      })),
    ),
  };
}
