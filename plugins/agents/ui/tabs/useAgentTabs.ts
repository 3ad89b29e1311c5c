import { useSlot, type SlotEntry } from "@gantry/ui-kit";
import { computed, type ComputedRef } from "vue";

/** A tab of an agent that another plugin contributes. */
export interface AgentTab extends SlotEntry {
  readonly id: string;
  readonly label: string;
  readonly icon: string;
}

/** Returns the contributions to `agent.tabs`. If two have the same id, and so the same path, the first one wins. */
export function useAgentTabs(): ComputedRef<AgentTab[]> {
  const entries = useSlot("agent.tabs");
  return computed(() => {
    const tabs = new Map<string, AgentTab>();
    for (const entry of entries.value) {
      const { id, label, icon = "i-lucide-blocks" } = entry;
      if (id && label && !tabs.has(id))
        tabs.set(id, { ...entry, id, label, icon });
    }
    return [...tabs.values()];
  });
}
