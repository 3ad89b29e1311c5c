import { useResource } from "@gantry/ui-kit";
import {
  computed,
  type ComputedRef,
  type MaybeRefOrGetter,
  toValue,
} from "vue";
import type { Agent, ListOf } from "../wire.ts";

const MAX_AGENTS = 100;

/** Agents, newest first, and their names by id. */
export interface Agents {
  readonly list: ComputedRef<readonly Agent[]>;
  readonly names: ComputedRef<Readonly<Record<string, string>>>;
}

/** Loads the agents and follows changes while `when` is true. */
export function useAgents(when: MaybeRefOrGetter<boolean> = true): Agents {
  const agents = useResource<ListOf<Agent>>(
    () => (toValue(when) ? "/api/agents" : null),
    {
      query: { limit: MAX_AGENTS },
      refreshOn: [
        "agents.agent-created",
        "agents.agent-changed",
        "agents.agent-deleted",
      ],
    },
  );
  const list = computed(() => agents.data.value?.items ?? []);
  return {
    list,
    names: computed(() =>
      Object.fromEntries(list.value.map(({ id, name }) => [id, name])),
    ),
  };
}
