import { api, useToast } from "@gantry/ui-kit";
import {
  computed,
  shallowRef,
  toValue,
  watch,
  type ComputedRef,
  type MaybeRefOrGetter,
  type ShallowRef,
} from "vue";
import type { BrowserPolicy } from "../../src/fence/policy.ts";

/** The fields of a policy that can be changed. */
export type PolicyChange = Partial<Omit<BrowserPolicy, "agentId">>;

/** The policy of one agent; each change is saved. */
export interface AgentPolicy {
  readonly policy: ComputedRef<BrowserPolicy>;
  readonly isSaving: Readonly<ShallowRef<boolean>>;
  /** Saves a change. Shows an error if that fails; returns whether it was saved. */
  save(change: PolicyChange): Promise<boolean>;
}

/** Follows the stored policy and saves changes to it. */
export function useAgentPolicy(
  stored: MaybeRefOrGetter<BrowserPolicy>,
): AgentPolicy {
  const toast = useToast();
  const isSaving = shallowRef(false);
  // Shown until the list is loaded again, so that a click takes effect at once.
  const saved = shallowRef<BrowserPolicy>();
  watch(
    () => toValue(stored),
    () => (saved.value = undefined),
  );
  const policy = computed(() => saved.value ?? toValue(stored));

  return {
    policy,
    isSaving,
    async save(change) {
      const { agentId, ...before } = policy.value;
      const { tier, sites, ownServers } = { ...before, ...change };
      isSaving.value = true;
      try {
        // The answer has the sites in normalised form, in lower case and ASCII.
        saved.value = await api.put<BrowserPolicy>(
          `/api/browser/policies/${agentId}`,
          { body: { tier, sites, ownServers } },
        );
        return true;
      } catch (thrown) {
        toast.failure("The setting was not saved", thrown);
        return false;
      } finally {
        isSaving.value = false;
      }
    },
  };
}
