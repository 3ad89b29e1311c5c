import { usePages, type Pages } from "@gantry/ui-kit";
import { computed, ref, watch, type ComputedRef, type Ref } from "vue";
import {
  conditionOf,
  toGroups,
  type AgentGroup,
  type Condition,
} from "../agents/agentCondition.ts";
import type { Agent } from "../wire.ts";

/** Filter values; `all` means no filter. */
export interface AgentFilter {
  text: Ref<string>;
  condition: Ref<Condition | "all">;
  cli: Ref<string>;
}

/** The list of agents and its filter. */
export interface AgentList {
  readonly pages: Pages<Agent>;
  readonly filter: AgentFilter;
  readonly groups: ComputedRef<readonly AgentGroup[]>;
  /** Whether a filter is set. */
  readonly isFiltered: ComputedRef<boolean>;
  clear(): void;
}

const SEARCH_DELAY_MS = 150;

/** Loads the agents and keeps them current. The daemon filters where it can; the rest is filtered here. */
export function useAgentList(): AgentList {
  const filter: AgentFilter = {
    text: ref(""),
    condition: ref("all"),
    cli: ref("all"),
  };
  const search = ref("");
  watch(filter.text, (text, _before, onCleanup) => {
    const timer = setTimeout(
      () => (search.value = text.trim()),
      SEARCH_DELAY_MS,
    );
    onCleanup(() => clearTimeout(timer));
  });

  const pages = usePages<Agent>("/api/agents", {
    pageSize: 100,
    refreshOn: ["agents.*"],
    query: () => ({
      q: search.value || undefined,
      cli: filter.cli.value === "all" ? undefined : filter.cli.value,
      state: stateOf(filter.condition.value),
    }),
  });

  const groups = computed(() => {
    const selected = filter.condition.value;
    const all = pages.items.value ?? [];
    return toGroups(
      selected === "all"
        ? all
        : all.filter((agent) => conditionOf(agent) === selected),
    );
  });

  return {
    pages,
    filter,
    groups,
    isFiltered: computed(
      () =>
        search.value !== "" ||
        filter.condition.value !== "all" ||
        filter.cli.value !== "all",
    ),
    clear() {
      filter.text.value = search.value = "";
      filter.condition.value = "all";
      filter.cli.value = "all";
    },
  };
}

function stateOf(condition: Condition | "all"): "open" | "closed" | undefined {
  // An agent that was cut off is usually closed, but may have been started since.
  if (condition === "all" || condition === "cut-off") return undefined;
  return condition === "closed" ? "closed" : "open";
}
