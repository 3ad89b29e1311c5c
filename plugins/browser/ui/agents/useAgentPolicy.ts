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

  async function put(
    change: Partial<PolicyRules>,
  ): Promise<ApiError | undefined> {
    const { tier, sites, ownServers, revision } = { ...rules.value, ...change };
    const before = changed.value;
    const attempt = (changed.value = { tier, sites, ownServers, revision });
    try {
      // The answer has the sites in normalised form, in lower case and ASCII.
      changed.value = await api.put<PolicyRules>(
        `/api/browser/policies/${agentId}`,
        // Without a revision, a page that is out of date would give back what another one has taken away.
        { body: { tier, sites, ownServers }, ifMatch: revision },
      );
      return undefined;
    } catch (thrown) {
      // Otherwise the list was loaded in the meantime, and is newer.
      if (changed.value === attempt) changed.value = before;
      return toApiError(thrown);
    }
  }

  let saving: Promise<unknown> = Promise.resolve();
  return {
    rules,
    save(change) {
      // One after the other, since each has the revision that the one before has made.
      const saved = saving.then(() => put(change));
      saving = saved;
      return saved;
    },
  };
}
