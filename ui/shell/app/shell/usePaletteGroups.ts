import { useTheme } from "@gantry/ui-kit";
import { computed, inject, type ComputedRef, type Ref } from "vue";
import { frameKey } from "./frameState.ts";
import { useSettingsSections } from "./settingsSections.ts";
import { usePaletteSearch } from "./usePaletteSearch.ts";
import { useRunCommand, type Runnable } from "./useRunCommand.ts";
import { useShell } from "./useShell.ts";

/** A line of the palette. */
export interface PaletteLine {
  id: string;
  label: string;
  icon: string;
  suffix?: string | undefined;
  /** Found by these too. */
  keywords?: string | undefined;
  shortcut?: string | undefined;
  onSelect: () => void;
}

/** Lines under a heading. */
export interface PaletteGroup {
  id: string;
  label: string;
  items: PaletteLine[];
  /** Found by another source already. */
  ignoreFilter?: boolean;
}

/** Words that people look for, and that the names of the pages do not say. */
const keywords: Readonly<Record<string, readonly string[]>> = {
  "/settings/devices": ["pair", "revoke", "session", "qr", "phone", "browser"],
  "/settings/appearance": ["theme", "dark", "light"],
  "/settings/about": ["version", "node", "folder"],
};

/** Gives what the palette offers for a query: pages, commands, and what plugins find. */
export function usePaletteGroups(
  query: Ref<string>,
  close: () => void,
): { groups: ComputedRef<PaletteGroup[]>; searching: Ref<boolean> } {
  const { plugins } = useShell();
  const frame = inject(frameKey)!;
  const theme = useTheme();
  const run = useRunCommand();
  const sections = useSettingsSections();
  const { found, searching } = usePaletteSearch(query);

  function toLine(
    id: string,
    icon: string,
    runnable: Runnable & {
      shortcut?: string;
      keywords?: readonly string[];
      detail?: string;
    },
  ): PaletteLine {
    return {
      id,
      icon,
      label: runnable.label,
      suffix: runnable.detail,
      keywords: runnable.keywords?.join(" "),
      shortcut: runnable.shortcut,
      onSelect: () => {
        close();
        void run(runnable);
      },
    };
  }

  const pages = computed(() => [
    toLine("home", "i-lucide-house", {
      label: "Home",
      to: "/",
      shortcut: "g h",
    }),
    toLine("dashboard", "i-lucide-chart-column", {
      label: "Dashboard",
      to: "/dashboard",
      shortcut: "g d",
      keywords: ["spend", "cost", "tokens", "usage", "charts", "statistics"],
    }),
    ...plugins.navigation.value.map((entry) =>
      toLine(`${entry.plugin}${entry.to}`, entry.icon, {
        label: entry.label,
        to: entry.to,
        shortcut: entry.shortcut,
      }),
    ),
  ]);

  const settings = computed(() =>
    [...sections.own, ...sections.added.value].map(({ to, label, icon }) =>
      toLine(to, icon, {
        label,
        to,
        keywords: ["settings", ...(keywords[to] ?? [])],
      }),
    ),
  );

  const commands = computed(() =>
    plugins.commands.value
      .filter((command) => command.when?.() ?? true)
      .map((command) =>
        toLine(command.id, command.icon ?? "i-lucide-zap", command),
      ),
  );

  const own = computed(() => [
    toLine("shell:pair-device", "i-lucide-qr-code", {
      label: "Pair another device",
      to: "/settings/devices?pair=1",
    }),
    toLine(
      "shell:switch-theme",
      theme.resolved.value === "dark" ? "i-lucide-sun" : "i-lucide-moon",
      {
        label:
          theme.resolved.value === "dark"
            ? "Use light colours"
            : "Use dark colours",
        keywords: ["theme", "dark", "light", "colour", "color"],
        run: () => {
          theme.preference.value =
            theme.resolved.value === "dark" ? "light" : "dark";
        },
      },
    ),
    toLine("shell:follow-system", "i-lucide-monitor", {
      label: "Follow the system's colours",
      keywords: ["theme", "dark", "light"],
      run: () => {
        theme.preference.value = "system";
      },
    }),
    toLine("shell:show-shortcuts", "i-lucide-keyboard", {
      label: "Keyboard shortcuts",
      shortcut: "?",
      run: () => {
        frame.help.value = true;
      },
    }),
    toLine("shell:open-reference", "i-lucide-braces", {
      label: "API reference",
      run: () => window.location.assign("/docs"),
    }),
  ]);

  const groups = computed(() => {
    const typed = query.value.trim() !== "";
    const ofPlugins = {
      id: "found",
      label: typed ? "Found" : "Recent",
      ignoreFilter: true,
      items: found.value.map((item) =>
        toLine(`found-${item.id}`, item.icon ?? "i-lucide-file", item),
      ),
    };
    const first = { id: "pages", label: "Go to", items: pages.value };
    return [
      // What is recent comes a moment later, and must not push away the line that is chosen.
      ...(typed ? [ofPlugins, first] : [first, ofPlugins]),
      { id: "commands", label: "Commands", items: commands.value },
      { id: "settings", label: "Settings", items: settings.value },
      { id: "gantry", label: "Gantry", items: own.value },
    ].filter(({ items }) => items.length > 0);
  });
  return { groups, searching };
}
