import { shareComposable, useResource } from "@gantry/ui-kit";
import { computed, type ComputedRef } from "vue";
import type { Agent, ListOf } from "../wire.ts";
import { byUrgency } from "./agentCondition.ts";

/** The open agents, the most urgent first; `undefined` until they are loaded. */
export const useOpenAgents: () => ComputedRef<readonly Agent[] | undefined> =
  shareComposable(() => {
    const { data } = useResource<ListOf<Agent>>("/api/agents", {
      query: { state: "open", limit: 100 },
      refreshOn: ["agents.*"],
    });
    return computed(() => data.value?.items.toSorted(byUrgency));
  });
