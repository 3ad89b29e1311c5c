import { createIdentifier } from "@gantry/plugin";
import type { Clock, Page, Store } from "@gantry/plugin";
import { openRecordLog } from "./record-log.ts";
import type { RecordQuery } from "./record-log.ts";
import { auditEntry } from "./schemas.ts";
import type { AuditEntry } from "./schemas.ts";

/** Once there are more, the oldest entries are removed. */
export const MAX_AUDIT_ENTRIES = 5000;

/** A call and what was decided. */
export type AuditInput = Pick<
  AuditEntry,
  "agentId" | "method" | "verdict" | "reason"
>;

/** Equal calls in a row: their number, and the time of the last. */
export type CountedCall = AuditInput & Pick<AuditEntry, "at" | "count">;

/** Calls of agents to browsers, with the decisions. */
export interface Audit {
  /** Records a call. One that equals the newest entry is counted there. */
  add(input: AuditInput): Promise<AuditEntry>;
  /** Records calls in their order, of which equal ones are not adjacent. The first may equal the newest entry. */
  addAll(calls: readonly CountedCall[]): Promise<void>;
  list(
    query: RecordQuery & Partial<Pick<AuditEntry, "agentId" | "verdict">>,
  ): Promise<Page<AuditEntry>>;
}

/** Opens the audit. */
export async function openAudit({
  store,
  clock,
}: {
  store: Store;
  clock: Clock;
}): Promise<Audit> {
  const log = await openRecordLog<AuditEntry>({
    ...{ store, name: "audit", version: 1, schema: auditEntry },
    max: MAX_AUDIT_ENTRIES,
    textsOf: ({ method, reason }) => [method, reason],
    // There may be many a second, which would push all other events out of the event log.
    changed: undefined,
  });

  /** Counts calls at the newest entry if it is an equal one. Runs in `exclusive`. */
  async function countAtNewest({
    at,
    count,
    ...input
  }: CountedCall): Promise<AuditEntry | undefined> {
    const newest = await log.newest();
    if (!newest || !isEqualCall(newest, input)) return undefined;
    return await log.change(newest.id, (current) => ({
      ...{ ...current, at, count: current.count + count },
    }));
  }

  const toDraft = (call: CountedCall) => ({
    ...{ ...call, id: createIdentifier("aud") },
  });
  return {
    add: (input) =>
      log.exclusive(async () => {
        const call = { ...input, at: clock.timestamp(), count: 1 };
        return (await countAtNewest(call)) ?? (await log.add(toDraft(call)));
      }),
    addAll: ([first, ...rest]) =>
      log.exclusive(async () => {
        if (!first) return;
        const added = (await countAtNewest(first)) ? rest : [first, ...rest];
        await log.addAll(added.map(toDraft));
      }),
    list: ({ agentId, verdict, ...query }) =>
      agentId === undefined && verdict === undefined
        ? log.list(query)
        : log.list(
            query,
            (entry) =>
              (agentId ?? entry.agentId) === entry.agentId &&
              (verdict ?? entry.verdict) === entry.verdict,
          ),
  };
}

/** Whether two calls are one entry when they follow each other. */
export function isEqualCall(one: AuditInput, other: AuditInput): boolean {
  return (
    one.agentId === other.agentId &&
    one.method === other.method &&
    one.verdict === other.verdict &&
    one.reason === other.reason
  );
}
