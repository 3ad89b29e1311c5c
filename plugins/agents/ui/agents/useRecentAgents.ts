import { shareComposable, useResource } from "@gantry/ui-kit";
import { computed, type ComputedRef } from "vue";
import type { Agent, ListOf } from "../wire.ts";

/** The 50 newest agents, by last change, the latest first; `undefined` until they are loaded. */
export const useRecentAgents: () => ComputedRef<readonly Agent[] | undefined> =
  shareComposable(() => {
    const { data } = useResource<ListOf<Agent>>("/api/agents", {
      query: { limit: 50 },
      refreshOn: ["agents.*"],
    });
    return computed(() =>
      data.value?.items.toSorted((one, other) =>
        other.updatedAt.localeCompare(one.updatedAt),
      ),
    );
  });
