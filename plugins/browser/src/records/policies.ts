import { createKeyedLock, keyPart, MACHINE_PREFIX } from "@gantry/plugin";
import type {
  Clock,
  Collection,
  Page,
  Store,
  StoreOperation,
} from "@gantry/plugin";
import { PoliciesChanged } from "./events.ts";
import { narrowPolicy } from "./narrow-policy.ts";
import type { Grant } from "./narrow-policy.ts";
import { readMarks } from "./read-marks.ts";
import type { RecordQuery } from "./record-log.ts";
import { policy } from "./schemas.ts";
import type { Policy } from "./schemas.ts";
import { createMatcher } from "./texts.ts";

/** What one agent may do. */
export type PolicyInput = Pick<
  Policy,
  "agentId" | "tier" | "sites" | "ownServers"
>;

/** Records that are read at once. */
const PAGE_SIZE = 500;
/** What agents were last allowed on this machine, which a restore does not widen. */
const ALLOWED = `${MACHINE_PREFIX}policy:`;
const MAX_ALLOWED = 5000;

/** What agents may do. An agent without a policy may do nothing. */
export interface Policies {
  /** The policy of an agent at this moment. */
  get(agentId: string): Policy | undefined;
  /** Calls back after each change of an agent's policy. Returns a function that removes the listener. */
  onChange(listener: (agentId: string) => void): () => void;
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

/** Opens the policies. They are held in memory, since each call of an agent is judged by them. */
export async function openPolicies({
  store,
  clock,
}: {
  store: Store;
  clock: Clock;
}): Promise<Policies> {
  const collection = store.collection<Policy>({
    ...{ name: "policy", version: 2, schema: policy },
    migrate: (data) => ({ ownServers: false, ...(data as object) }),
  });
  const lock = createKeyedLock();
  const byAgent = new Map<string, Policy>();
  const listeners = new Set<(agentId: string) => void>();
  const allowed = await readMarks<Grant & { at: string }>(
    store,
    ALLOWED,
    MAX_ALLOWED,
  );
  for (const each of await listAll(collection))
    byAgent.set(each.id, await narrow(each));

  /** What was taken from an agent on this machine does not come back with a restore. */
  async function narrow(stored: Policy): Promise<Policy> {
    const last = allowed.get(keyPart(stored.id));
    if (!last) return stored;
    const allowedNow = narrowPolicy(stored, last);
    const { tier, sites, ownServers } = allowedNow;
    if (
      tier === stored.tier &&
      sites === stored.sites &&
      ownServers === stored.ownServers
    )
      return stored;
    const record = { ...stored, ...allowedNow };
    const events = [PoliciesChanged.of(stored.id, { change: "changed" })];
    const changed = await collection.update(stored.id, () => ({
      record,
      events,
    }));
    return changed ?? record;
  }

  const toNote = ({ agentId, ...allowed }: PolicyInput): StoreOperation[] => [
    {
      type: "set",
      key: ALLOWED + keyPart(agentId),
      value: { at: clock.timestamp(), ...allowed },
    },
  ];

  function take(agentId: string, stored: Policy | undefined): void {
    if (stored) byAgent.set(agentId, stored);
    else byAgent.delete(agentId);
    for (const listener of listeners) listener(agentId);
  }

  return {
    get: (agentId) => byAgent.get(agentId),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    put: (input, revision) =>
      lock.run(input.agentId, async () => {
        const id = input.agentId;
        const changed = await collection.update(
          id,
          (current) => ({
            record: { ...current, ...input },
            operations: toNote(input),
            events: [PoliciesChanged.of(id, { change: "changed" })],
          }),
          { revision },
        );
        const stored =
          changed ??
          (await collection.insert(
            { ...input, id },
            {
              operations: toNote(input),
              events: [PoliciesChanged.of(id, { change: "added" })],
            },
          ));
        take(id, stored);
        return stored;
      }),
    remove: (agentId) =>
      lock.run(agentId, async () => {
        const events = [PoliciesChanged.of(agentId, { change: "removed" })];
        await collection.remove(agentId, { events });
        take(agentId, undefined);
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

async function listAll(collection: Collection<Policy>): Promise<Policy[]> {
  const all: Policy[] = [];
  let cursor: string | undefined;
  do {
    const page = await collection.list({ limit: PAGE_SIZE, cursor });
    all.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}
