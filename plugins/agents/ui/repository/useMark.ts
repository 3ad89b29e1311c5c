import { useResource } from "@gantry/ui-kit";
import { onBeforeUnmount, onMounted, watch } from "vue";
import type { Mark } from "./wire.ts";

const everyMs = 5000;

/** Watches the repository of an agent while the page is visible, and calls back when something in it has changed. */
export function useMark(
  agentId: string,
  isWanted: () => boolean,
  changed: (what: { commit: boolean }) => void,
): void {
  const path = `/api/agents/${agentId}/git/head`;
  const mark = useResource<Mark>(() => (isWanted() ? path : null), {
    refreshOn: ["agents.turn-finished", "agents.turn-changes-changed"],
    refreshIf: ({ subject }) => subject === agentId,
  });
  watch(mark.data, (now, before) => {
    if (!now?.git || !before?.git || now.token === before.token) return;
    changed({ commit: now.key !== before.key });
  });
  let timer: ReturnType<typeof setInterval> | undefined;
  onMounted(() => {
    timer = setInterval(() => {
      if (document.visibilityState === "visible" && !mark.pending.value)
        void mark.refresh();
    }, everyMs);
  });
  onBeforeUnmount(() => clearInterval(timer));
}
