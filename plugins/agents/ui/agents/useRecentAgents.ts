import { shareComposable, useResource } from "@gantry/ui-kit";
import { computed, type ComputedRef } from "vue";
import type { Agent, ListOf } from "../wire.ts";

/** The agents that changed last, of those that were made last; `undefined` until they are known. */
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
