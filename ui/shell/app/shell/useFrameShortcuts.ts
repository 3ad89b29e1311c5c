import { defineShortcuts, type Shortcut } from "@gantry/ui-kit";
import { useKit } from "@gantry/ui-kit/host";
import { onScopeDispose, watch } from "vue";
import { useRouter } from "vue-router";
import type { FrameState } from "./frameState.ts";
import { useRunCommand } from "./useRunCommand.ts";
import { useShell } from "./useShell.ts";

/** Puts the shortcuts of the frame in force, and those of the plugins' navigation and commands. */
export function useFrameShortcuts(frame: FrameState): void {
  const router = useRouter();
  const { plugins } = useShell();
  const { shortcuts } = useKit();
  const run = useRunCommand();

  defineShortcuts({
    "mod+k": {
      label: "Search and commands",
      group: "Everywhere",
      inDialogs: true,
      run: () => (frame.palette.value = !frame.palette.value),
    },
    "?": {
      label: "This help",
      group: "Everywhere",
      run: () => (frame.help.value = true),
    },
    "[": {
      label: "Narrow or widen the sidebar",
      group: "Everywhere",
      run: () => (frame.narrow.value = !frame.narrow.value),
    },
    j: { label: "Next row", group: "Lists", run: () => moveRow(1) },
    k: { label: "Previous row", group: "Lists", run: () => moveRow(-1) },
    "g h": { label: "Home", group: "Go to", run: () => void router.push("/") },
    "g d": {
      label: "Dashboard",
      group: "Go to",
      run: () => void router.push("/dashboard"),
    },
    "g s": {
      label: "Settings",
      group: "Go to",
      run: () => void router.push("/settings"),
    },
  });

  let undo: (() => void) | undefined;
  watch(
    [plugins.navigation, plugins.commands],
    ([navigation, commands]) => {
      undo?.();
      const added: Record<string, Shortcut> = {};
      for (const { shortcut, label, to } of navigation) {
        if (shortcut)
          added[shortcut] = {
            label,
            group: "Go to",
            run: () => void router.push(to),
          };
      }
      for (const command of commands) {
        if (!command.shortcut) continue;
        added[command.shortcut] = {
          label: command.label,
          group: "Commands",
          run: () => void run(command),
          ...(command.when ? { when: command.when } : {}),
        };
      }
      undo = shortcuts.add(added);
    },
    { immediate: true },
  );
  onScopeDispose(() => undo?.());
}

/** Moves the focus among the links of the page's rows. */
function moveRow(step: number): void {
  const rows = [
    ...document.querySelectorAll<HTMLElement>("main [data-row-link]"),
  ];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next =
    at < 0
      ? step > 0
        ? 0
        : rows.length - 1
      : Math.min(rows.length - 1, Math.max(0, at + step));
  rows[next]?.focus();
}
