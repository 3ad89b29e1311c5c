import { createIdentifier } from "@gantry/plugin";
import type { Page } from "@gantry/plugin";
import * as z from "zod";
import type { RecordQuery } from "./history.ts";
import { openRecordLog, toPublic } from "./record-log.ts";
import type { RecordsHost } from "./records-host.ts";
import { auditEntry } from "./schemas.ts";
import type { AuditEntry } from "./schemas.ts";
import { createMatcher, toLine } from "./texts.ts";

/** Once there are more, the oldest entries are removed. */
export const MAX_AUDIT_ENTRIES = 5000;
/** Entries in one batch; more are pending only when a client makes nothing but refused calls. */
const MAX_APPENDED = 100;
const MAX_METHOD_LENGTH = 200;
const MAX_REASON_LENGTH = 500;

/** An entry to be written. */
export type NewAuditEntry = Pick<
  AuditEntry,
  "agentId" | "method" | "verdict" | "reason" | "at" | "count"
>;

/** Calls of agents to the browser, with the decisions. */
export interface Audit {
  /** Writes entries in batches of 100, oldest first. */
  append(entries: readonly NewAuditEntry[]): Promise<void>;
  list(
    query: RecordQuery & {
      agentId?: string;
      verdict?: AuditEntry["verdict"];
    },
  ): Promise<Page<AuditEntry>>;
}

const record = auditEntry.extend({ sequence: z.number().int().positive() });

/** Opens the audit of protocol calls. */
export async function openAudit({ store }: RecordsHost): Promise<Audit> {
  const log = await openRecordLog({
    store,
    definition: { name: "audit", version: 1, schema: record },
    max: MAX_AUDIT_ENTRIES,
  });
  return {
    append: (entries) =>
      log.serial(async () => {
        for (let start = 0; start < entries.length; start += MAX_APPENDED)
          await log.add(
            entries
              .slice(start, start + MAX_APPENDED)
              .map(({ agentId, method, verdict, reason, at, count }) => ({
                ...{ id: createIdentifier("aud"), agentId, verdict, at, count },
                method: toLine(method, MAX_METHOD_LENGTH),
                reason: reason && toLine(reason, MAX_REASON_LENGTH),
              })),
          );
      }),
    async list({ q, agentId, verdict, ...page }) {
      const fits = createMatcher(q);
      const isAny = !fits && agentId === undefined && verdict === undefined;
      const { items, nextCursor } = await log.list({
        ...page,
        ...(!isAny && {
          filter: (entry) =>
            (agentId === undefined || entry.agentId === agentId) &&
            (verdict === undefined || entry.verdict === verdict) &&
            (fits?.(entry.method, entry.reason) ?? true),
        }),
      });
      return { items: items.map(toPublic), nextCursor };
    },
  };
}
