import type { Clock, Log } from "@gantry/plugin";
import type { AuditDetails, AuditEntry, NewAuditEntry } from "./audit-entry.ts";
import { openAuditWriter } from "./audit-writer.ts";
import type { AuditLimits, AuditWriter } from "./audit-writer.ts";
import { createAuditSummary } from "./summary.ts";
import type { AuditEvent } from "./summary.ts";
import { createAuditVerifier } from "./verify-audit.ts";

/** Records who was let in and who was refused, so that the cause of something can be found later. */
export type Audit = Awaited<ReturnType<typeof openAudit>>;

/** Dependencies of {@link openAudit}. */
export interface AuditOptions {
  folder: string;
  clock: Clock;
  log: Log;
  /** Takes secrets out of a text. */
  redact(text: string): string;
  limits?: AuditLimits;
}

/** 16 MiB in all, some 50,000 lines. */
const LIMITS: AuditLimits = { fileBytes: 1024 * 1024, files: 16 };
/** A value is cut here: a hostile name must not fill the log. */
const MAX_VALUE_LENGTH = 256;
const MAX_VALUES = 16;
const MAX_NAME_LENGTH = 40;
const MAX_RECENT = 200;
/** Entries that wait while the disk is full; of further ones only the number is kept. */
const MAX_WAITING = 1_000;

/** Entries on their way to disk, together with those that come meanwhile. */
function createQueue({ folder, clock, log, limits = LIMITS }: AuditOptions) {
  let writer: AuditWriter | undefined;
  let recent: readonly AuditEntry[] = [];
  let waiting: NewAuditEntry[] = [];
  let lost = 0;
  let fault: string | undefined;
  let writing: Promise<void> | undefined;

  const toEntry = (event: AuditEvent, again?: number): NewAuditEntry => ({
    at: clock.timestamp(),
    ...event,
    ...(again === undefined ? {} : { again }),
  });

  function put(event: AuditEvent, again?: number): void {
    if (waiting.length >= MAX_WAITING) return void lost++;
    waiting.push(toEntry(event, again));
  }

  async function open(): Promise<AuditWriter> {
    const opened = await openAuditWriter(folder, limits);
    recent = opened.recent.slice(-MAX_RECENT);
    if (opened.damage === undefined) return opened;
    const details = { reason: opened.damage };
    log.error("The audit log was damaged", details);
    put({ by: "kernel", action: "audit.damaged", details });
    return opened;
  }

  /** Writes what waits, together; what comes meanwhile is the next to be written. */
  async function write(): Promise<void> {
    // Whatever is recorded in this turn goes with it.
    await Promise.resolve();
    let entries: NewAuditEntry[] = [];
    try {
      // Tried again with each entry: a full disk must not keep the daemon from starting.
      writer ??= await open();
      entries = waiting;
      waiting = [];
      if (entries.length === 0) return;
      const told = lost > 0 ? [toEntry(lostEvent(lost))] : [];
      const written = await writer.append([...entries, ...told]);
      recent = [...recent, ...written].slice(-MAX_RECENT);
      lost = 0;
      fault = undefined;
    } catch (error) {
      waiting = [...entries, ...waiting];
      lost += Math.max(0, waiting.length - MAX_WAITING);
      waiting.length = Math.min(waiting.length, MAX_WAITING);
      if (fault === undefined)
        log.error("The audit log cannot be written", {}, error);
      fault = (error as { code?: string }).code ?? "unknown fault";
    }
  }

  return {
    put,
    /** Resolves when everything that waits now was written, or could not be. */
    async flush(): Promise<void> {
      // A write in progress has taken its entries already.
      await writing;
      writing ??= write().finally(() => (writing = undefined));
      await writing;
    },
    recent: () => recent,
    fault: () => fault,
    close: async () => writer?.close(),
  };
}

/** Opens the log in a folder, and makes it if there is none. */
export async function openAudit(options: AuditOptions) {
  const { folder, clock, redact } = options;
  const { put, flush, recent, fault, close } = createQueue(options);
  const summary = createAuditSummary(clock, (event, again) => {
    put(event, again);
    void flush();
  });

  const as = (by: string) => {
    const toEvent = (action: string, details: AuditDetails = {}) => ({
      by,
      action,
      details: toAuditDetails(details, redact),
    });
    return {
      /**
       * Writes a line. Resolves once it is on disk, so that no request is answered before. Never rejects: a full disk must not
       * keep the owner from revoking a session; what could not be written goes with the next line that can.
       */
      async record(action: string, details?: AuditDetails): Promise<void> {
        put(toEvent(action, details));
        await flush();
      },
      /** Records something that is unauthenticated and unlimited. Summed up by the minute; returns at once. */
      note: (action: string, details?: AuditDetails): void =>
        summary.note(toEvent(action, details)),
    };
  };

  await flush();
  return {
    ...as("kernel"),
    /** The same log for entries of another source. */
    as,
    /** Resolves when everything written so far is on disk, or could not be written. */
    flush,
    /** Whether the whole log is as it was written. Only files that were changed since the last time are read again. */
    verify: createAuditVerifier(folder),
    /** The newest entries, the newest first. */
    latest: (limit: number) => recent().slice(-limit).reverse(),
    /** Why entries cannot be written now, `undefined` if they can. */
    get fault() {
      return fault();
    },
    /** Writes what is left, and closes the files. */
    async close(): Promise<void> {
      summary.flush();
      await flush();
      await close();
    },
  };
}

const lostEvent = (count: number): AuditEvent => ({
  by: "kernel",
  action: "audit.lost",
  details: { count },
});

/** What is kept of details: few and short values, without secrets. */
export function toAuditDetails(
  details: AuditDetails,
  redact: (text: string) => string,
): AuditDetails {
  return Object.fromEntries(
    Object.entries(details)
      .filter(([, value]) => value !== undefined)
      .slice(0, MAX_VALUES)
      .map(([name, value]) => [
        name.slice(0, MAX_NAME_LENGTH),
        typeof value === "string" ? cut(redact(value)) : value,
      ]),
  );
}

function cut(text: string): string {
  return text.length <= MAX_VALUE_LENGTH
    ? text
    : `${text.slice(0, MAX_VALUE_LENGTH - 1)}…`;
}
