import { useResource } from "@gantry/ui-kit";
import { onBeforeUnmount, onMounted, watch } from "vue";
import type { Mark, MarkedStatus } from "./wire.ts";

const everyMs = 5000;

/**
 * Watches the repository of an agent while the page is visible.
 *
 * @param shown The mark of what is shown; `undefined` while nothing is.
 * @param changed Called once for each change that what is shown does not have.
 */
export function useMark(
  agentId: string,
  isWanted: () => boolean,
  shown: () => MarkedStatus["mark"] | undefined,
  changed: (what: { commit: boolean }) => void,
): void {
  const path = `/api/agents/${agentId}/git/head`;
  const mark = useResource<Mark>(() => (isWanted() ? path : null), {
    refreshOn: ["agents.turn-finished", "agents.turn-changes-changed"],
    refreshIf: ({ subject }) => subject === agentId,
  });
  /** What was reported last. While it is being read, it is reported no second time: that would begin the reading again. */
  let reported: { token: string; shown: MarkedStatus["mark"] } | undefined;
  watch(mark.data, (now) => {
    const known = shown();
    if (!now?.git || !known || now.token === known.token) return;
    if (reported?.token === now.token && reported.shown === known) return;
    reported = { token: now.token, shown: known };
    changed({ commit: now.key !== known.key });
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
