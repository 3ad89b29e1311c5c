import { createKeyedLock } from "@gantry/plugin";
import type { Page, Store } from "@gantry/plugin";
import { PoliciesChanged } from "./events.ts";
import type { RecordQuery } from "./record-log.ts";
import { policy } from "./schemas.ts";
import type { Policy } from "./schemas.ts";
import { createMatcher } from "./texts.ts";

/** What one agent may do. */
export type PolicyInput = Pick<Policy, "agentId" | "tier" | "sites">;

/** What agents may do. An agent without a policy may do nothing. */
export interface Policies {
  /**
   * Stores what an agent may do, in place of what it may do now.
   *
   * @throws `STALE_REVISION` (412) if `revision` is given and is not that of the policy
   */
  put(input: PolicyInput, revision?: number): Promise<Policy>;
  /** Removes the policy of an agent, if it has one. */
  remove(agentId: string): Promise<void>;
  list(query: RecordQuery): Promise<Page<Policy>>;
}

/** Opens the policies. */
export function openPolicies({ store }: { store: Store }): Policies {
  const collection = store.collection<Policy>({
    ...{ name: "policy", version: 1, schema: policy },
  });
  const lock = createKeyedLock();
  return {
    put: (input, revision) =>
      lock.run(input.agentId, async () => {
        const id = input.agentId;
        const changed = await collection.update(
          id,
          (current) => ({
            record: { ...current, ...input },
            events: [PoliciesChanged.of(id, { change: "changed" })],
          }),
          { revision },
        );
        return (
          changed ??
          collection.insert(
            { ...input, id },
            { events: [PoliciesChanged.of(id, { change: "added" })] },
          )
        );
      }),
    remove: (agentId) =>
      lock.run(agentId, async () => {
        const events = [PoliciesChanged.of(agentId, { change: "removed" })];
        await collection.remove(agentId, { events });
      }),
    list({ q, ...page }) {
      const matches = createMatcher(q);
      return collection.list({
        ...page,
        ...(matches && {
          filter: ({ agentId, tier, sites }) =>
            matches([agentId, tier, ...sites]),
        }),
      });
    },
  };
}
