import type { Page } from "@gantry/plugin";
import type { BrowserPolicy } from "../fence/policy.ts";
import { PoliciesChanged } from "./events.ts";
import type { RecordQuery } from "./history.ts";
import type { RecordsHost } from "./records-host.ts";
import { createSerial } from "./serial.ts";
import { policy } from "./schemas.ts";
import type { Policy } from "./schemas.ts";
import { createMatcher } from "./texts.ts";

/** What agents may do. An agent without a policy may do nothing. */
export interface Policies {
  /** Reads from memory, so that a guard can call it for each call of an agent. */
  get(agentId: string): BrowserPolicy;
  /**
   * Stores what an agent may do.
   *
   * @throws `STALE_REVISION` (412) if `revision` is given and is not that of the policy
   */
  put(next: BrowserPolicy, revision?: number): Promise<Policy>;
  /** Removes the policy of a deleted agent. */
  remove(agentId: string): Promise<void>;
  list(query: RecordQuery): Promise<Page<Policy>>;
  /** Calls back for each policy that changed, after it was stored. Returns a function that removes the listener. */
  onChange(listener: (policy: BrowserPolicy) => void): () => void;
}

const none = (agentId: string): BrowserPolicy => ({
  ...{ agentId, tier: "none", sites: [], ownServers: false },
});

/** Opens the policies and reads them into memory. */
export async function openPolicies({ store }: RecordsHost): Promise<Policies> {
  const listeners = new Set<(changed: BrowserPolicy) => void>();
  // The id of a policy is the id of its agent.
  const collection = store.collection<Policy>({
    name: "policy",
    version: 1,
    schema: policy,
  });
  const serial = createSerial();
  const known = new Map<string, BrowserPolicy>();
  let cursor: string | undefined;
  do {
    const page = await collection.list({ limit: 500, cursor });
    for (const stored of page.items) known.set(stored.agentId, toRules(stored));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);

  function tell(changed: BrowserPolicy): void {
    for (const listener of listeners) listener(changed);
  }

  return {
    get: (agentId) => known.get(agentId) ?? none(agentId),
    put: (next, revision) =>
      serial(async () => {
        const rules = toRules(next);
        const id = rules.agentId;
        const change = (change: "added" | "changed") => [
          PoliciesChanged.of(id, { change }),
        ];
        const stored =
          (await collection.update(
            id,
            (current) => ({
              record: { ...current, ...rules },
              events: change("changed"),
            }),
            { revision },
          )) ??
          (await collection.insert(
            { id, ...rules },
            { events: change("added") },
          ));
        known.set(id, rules);
        tell(rules);
        return stored;
      }),
    remove: (agentId) =>
      serial(async () => {
        const events = [PoliciesChanged.of(agentId, { change: "removed" })];
        if (!(await collection.remove(agentId, { events }))) return;
        known.delete(agentId);
        tell(none(agentId));
      }),
    async list({ q, ...page }) {
      const fits = createMatcher(q);
      return collection.list({
        ...page,
        ...(fits && {
          filter: ({ agentId, tier, sites }) => fits(agentId, tier, ...sites),
        }),
      });
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function toRules({ agentId, tier, sites, ownServers }: BrowserPolicy) {
  return { agentId, tier, sites: [...sites], ownServers };
}
