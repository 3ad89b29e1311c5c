import { api, toApiError, type ApiError } from "@gantry/ui-kit";
import {
  computed,
  shallowRef,
  toValue,
  watch,
  type ComputedRef,
  type MaybeRefOrGetter,
} from "vue";
import type { PolicyRules } from "./useAgentPolicies.ts";

/** The policy of one agent; each change is saved at once. */
export interface AgentPolicy {
  readonly rules: ComputedRef<PolicyRules>;
  /** Saves a change. Returns the error if that fails; the rules are then as before. */
  save(change: Partial<PolicyRules>): Promise<ApiError | undefined>;
}

/** Follows the stored policy of an agent and saves changes to it. */
export function useAgentPolicy(
  agentId: string,
  stored: MaybeRefOrGetter<PolicyRules>,
): AgentPolicy {
  // Shown until the list is loaded again, so that a click takes effect at once.
  const changed = shallowRef<PolicyRules>();
  watch(
    () => toValue(stored),
    () => (changed.value = undefined),
  );
  const rules = computed(() => changed.value ?? toValue(stored));

  return {
    rules,
    async save(change) {
      const before = changed.value;
      const { tier, sites } = { ...rules.value, ...change };
      changed.value = { tier, sites };
      try {
        // The answer has the sites in normalised form, in lower case and ASCII.
        changed.value = await api.put<PolicyRules>(
          `/api/browser/policies/${agentId}`,
          { body: { tier, sites } },
        );
        return undefined;
      } catch (thrown) {
        changed.value = before;
        return toApiError(thrown);
      }
    },
  };
}
