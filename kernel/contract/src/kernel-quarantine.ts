import { defineErrors } from "./errors.ts";
import { defineService } from "./service.ts";

/** A record that could not be read, of which the store keeps a copy. */
export interface QuarantinedRecord {
  id: string;
  /** The plugin that it belongs to. */
  plugin: string;
  /** Full key of the original, which is left unchanged. */
  key: string;
  /** Why it could not be read. */
  reason: string;
  /** RFC 3339 UTC; `null` for one that was copied by an early version. */
  at: string | null;
}

/** The errors of {@link KernelQuarantine}. They are rows of the kernel's table, so a plugin need not list them in its own. */
export const quarantineErrors = defineErrors({
  QUARANTINE_NOT_FOUND: {
    status: 404,
    title: "Not in quarantine",
    detail:
      "There is no record {id} in quarantine; GET /api/doctor/quarantine lists those that are.",
  },
  QUARANTINE_NOT_RESTORED: {
    status: 409,
    title: "Not restored",
    detail: "The record stays in quarantine: {reason}.",
  },
});

/** Which record to restore or delete, and who asked for it. */
export interface QuarantineChange {
  id: string;
  /** Id of the session, for the audit log; empty if there is none. */
  by: string;
}

/**
 * Copies of records that could not be read: of all plugins for a plugin that is delivered with the daemon, and only its own
 * for an added one. Each change is written to the audit log.
 */
export interface KernelQuarantine {
  /** The copies without their content, the newest first. */
  list(): Promise<QuarantinedRecord[]>;
  /**
   * Puts a copy back as the record.
   *
   * @throws `QUARANTINE_NOT_FOUND`; `QUARANTINE_NOT_RESTORED` if it still does not fit its schema, its plugin is not
   *   active, or another record was written under its key
   */
  restore(change: QuarantineChange): Promise<void>;
  /**
   * Deletes a copy for good, and the original if it is still the same.
   *
   * @throws `QUARANTINE_NOT_FOUND`
   */
  delete(change: QuarantineChange): Promise<void>;
}

/** The kernel provides it, so it is always available to `needs` and `wants`. */
export const KernelQuarantine = defineService<KernelQuarantine>(
  "kernel.quarantine@1",
);
