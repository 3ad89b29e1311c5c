import { usePages, type Pages } from "@gantry/ui-kit";
import { computed, ref, watch, type ComputedRef, type Ref } from "vue";
import {
  conditionOf,
  toGroups,
  type AgentGroup,
  type Condition,
} from "../agents/agentCondition.ts";
import type { Agent } from "../wire.ts";

/** Which agents are shown. */
export interface AgentFilter {
  text: Ref<string>;
  condition: Ref<Condition | "all">;
  cli: Ref<string>;
}

/** The list of agents with what narrows it. */
export interface AgentList {
  readonly pages: Pages<Agent>;
  readonly filter: AgentFilter;
  readonly groups: ComputedRef<readonly AgentGroup[]>;
  /** Something narrows the list. */
  readonly narrowed: ComputedRef<boolean>;
  clear(): void;
}

const typingMs = 150;

/** Reads the agents, narrowed by the daemon where it can, and keeps them fresh. */
export function useAgentList(): AgentList {
  const filter: AgentFilter = {
    text: ref(""),
    condition: ref("all"),
    cli: ref("all"),
  };
  const asked = ref("");
  watch(filter.text, (text, _before, onCleanup) => {
    const timer = setTimeout(() => (asked.value = text.trim()), typingMs);
    onCleanup(() => clearTimeout(timer));
  });

  const pages = usePages<Agent>("/api/agents", {
    pageSize: 100,
    refreshOn: ["agents.*"],
    query: () => ({
      q: asked.value || undefined,
      cli: filter.cli.value === "all" ? undefined : filter.cli.value,
      state: stateOf(filter.condition.value),
    }),
  });

  const groups = computed(() => {
    const wished = filter.condition.value;
    const all = pages.items.value ?? [];
    return toGroups(
      wished === "all"
        ? all
        : all.filter((agent) => conditionOf(agent) === wished),
    );
  });

  return {
    pages,
    filter,
    groups,
    narrowed: computed(
      () =>
        asked.value !== "" ||
        filter.condition.value !== "all" ||
        filter.cli.value !== "all",
    ),
    clear() {
      filter.text.value = asked.value = "";
      filter.condition.value = "all";
      filter.cli.value = "all";
    },
  };
}

function stateOf(condition: Condition | "all"): "open" | "closed" | undefined {
  // An agent that is cut off is closed as a rule, but may have been started since.
  if (condition === "all" || condition === "cut-off") return undefined;
  return condition === "closed" ? "closed" : "open";
}
