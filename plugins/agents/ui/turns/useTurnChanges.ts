import { useResource, type Resource } from "@gantry/ui-kit";
import {
  computed,
  inject,
  provide,
  type ComputedRef,
  type InjectionKey,
} from "vue";
import type { TurnChanges, TurnChangesList } from "../repository/wire.ts";

/** What the turns of an agent changed in its folder. */
export interface AgentTurnChanges {
  readonly resource: Resource<TurnChangesList>;
  /** By the id of their turn. */
  readonly byTurn: ComputedRef<ReadonlyMap<string, TurnChanges>>;
}

const turnChangesKey: InjectionKey<AgentTurnChanges> = Symbol(
  "gantry-agents-turn-changes",
);

/** Reads it, keeps it fresh, and gives it to what is shown on the page of the agent. */
export function provideTurnChanges(agentId: string): AgentTurnChanges {
  const resource = useResource<TurnChangesList>(
    `/api/agents/${agentId}/turn-changes`,
    {
      refreshOn: ["agents.turn-changes-changed"],
      refreshIf: ({ subject }) => subject === agentId,
    },
  );
  const changes: AgentTurnChanges = {
    resource,
    byTurn: computed(() => {
      const { value } = resource.data;
      const items = value?.git ? value.items : [];
      return new Map(items.map((item) => [item.turnId, item]));
    }),
  };
  provide(turnChangesKey, changes);
  return changes;
}

/** Takes it in a part of the page. */
export function injectTurnChanges(): AgentTurnChanges {
  const changes = inject(turnChangesKey);
  if (!changes) throw new Error("Turns are shown on an agent's page.");
  return changes;
}
