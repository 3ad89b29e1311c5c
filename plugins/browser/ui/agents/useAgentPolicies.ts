import { usePages } from "@gantry/ui-kit";
import { computed, watch } from "vue";
import { useRecordList, type RecordList } from "../list/useRecordList.ts";
import type { Agent, Policy } from "../wire.ts";

/** The fields of a policy that can be changed, with its revision if it is stored. */
export type PolicyRules = Pick<Policy, "tier" | "sites" | "ownServers"> &
  Partial<Pick<Policy, "revision">>;

/** An agent with what it may do. */
export interface AgentWithPolicy {
  agent: Agent;
  rules: PolicyRules;
}

/** The rules of an agent without a policy. */
export const NO_RULES: PolicyRules = {
  ...{ tier: "none", sites: [], ownServers: false },
};

/** Loads agents page by page, each with its policy. None is listed before the policies are there. */
export function useAgentPolicies(): RecordList<AgentWithPolicy> {
  const list = useRecordList<Agent>("/api/agents", [
    "agents.agent-created",
    "agents.agent-changed",
    "agents.agent-deleted",
  ]);
  const policies = usePages<Policy>("/api/browser/policies", {
    pageSize: 500,
    refreshOn: ["browser.policies-changed"],
  });
  // An agent whose policy is on a later page would be shown as one that may do nothing.
  watch(policies.items, () => void policies.loadMore());
  const byAgent = computed(
    () =>
      new Map(policies.items.value?.map((policy) => [policy.agentId, policy])),
  );
  const items = computed(() =>
    policies.items.value && !policies.hasMore.value
      ? list.pages.items.value?.map((agent) => ({
          agent,
          rules: byAgent.value.get(agent.id) ?? NO_RULES,
        }))
      : undefined,
  );
  return {
    ...list,
    pages: {
      ...list.pages,
      items,
      error: computed(() => list.pages.error.value ?? policies.error.value),
      async refresh() {
        await Promise.all([list.pages.refresh(), policies.refresh()]);
      },
    },
  };
}
