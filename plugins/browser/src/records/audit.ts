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

/** Calls of agents to browsers, with the decisions. */
export interface Audit {
  /** Records a call. One that equals the newest entry is counted there. */
  add(input: AuditInput): Promise<AuditEntry>;
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
  return {
    add: (input) =>
      log.exclusive(async () => {
        const at = clock.timestamp();
        const newest = await log.newest();
        const merged =
          newest && isEqual(newest, input)
            ? await log.change(newest.id, (current) => ({
                ...{ ...current, at, count: current.count + 1 },
              }))
            : undefined;
        return (
          merged ??
          log.add({ ...input, id: createIdentifier("aud"), at, count: 1 })
        );
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

function isEqual(one: AuditInput, other: AuditInput): boolean {
  return (
    one.agentId === other.agentId &&
    one.method === other.method &&
    one.verdict === other.verdict &&
    one.reason === other.reason
  );
}
