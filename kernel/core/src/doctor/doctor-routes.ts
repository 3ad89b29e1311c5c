import { defineRoute, paginate } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import { okAnswer, pageOf, pageQuery } from "@gantry/plugin/zod";
import type { Audit } from "@gantry/system/audit/audit";
import { errors } from "@gantry/system/errors";
import type { Quarantine } from "@gantry/store/quarantine";
import { toQuarantinedFact } from "./gather-common.ts";
import { DoctorReport, Quarantined } from "./report.ts";

/** Dependencies of {@link createDoctorRoutes}. */
export interface DoctorRoutesHost {
  examine(): Promise<DoctorReport>;
  quarantine: Quarantine;
  audit: Pick<Audit, "record">;
}

/** Tells how the daemon stands, as `gantry doctor` does, and lets records out of quarantine. */
export function createDoctorRoutes({
  examine,
  quarantine,
  audit,
}: DoctorRoutesHost): RouteDefinition[] {
  const common = { access: "session" } as const;
  const ofOne = {
    ...common,
    path: "/api/doctor/quarantine/{id}",
    params: { id: { prefix: "qua", missing: errors.QUARANTINE_NOT_FOUND } },
    returns: okAnswer,
  } as const;
  return [
    defineRoute({
      ...common,
      method: "GET",
      path: "/api/doctor",
      summary: "How this daemon stands",
      description:
        "What listens where, who is paired, which names are accepted, where plugins come from, the newest entries of the audit log, and what is not as it should be, each with a fix. The same as `gantry doctor --json`.",
      returns: DoctorReport,
      handle: examine,
    }),
    defineRoute({
      ...common,
      method: "GET",
      path: "/api/doctor/quarantine",
      summary: "Records in quarantine",
      description:
        "Copies of records that could not be read, the newest first. The originals are left as they are.",
      query: pageQuery,
      returns: pageOf(Quarantined),
      handle({ query }) {
        const { items, nextCursor } = paginate(
          quarantine.list(),
          query,
          ({ at, id }) => (at ?? "") + id,
        );
        return { items: items.map(toQuarantinedFact), nextCursor };
      },
    }),
    defineRoute({
      ...ofOne,
      method: "POST",
      path: "/api/doctor/quarantine/{id}/restore",
      summary: "Restore a record from quarantine",
      description:
        "Puts the copy back where it was, if it fits its schema by now and nothing was written in its place.",
      errors: ["QUARANTINE_NOT_FOUND", "QUARANTINE_NOT_RESTORED"],
      async handle({ params: { id = "" }, caller }) {
        await quarantine.restore(id);
        const by = caller?.sessionId ?? "";
        await audit.record("quarantine.restored", { id, by });
        return { ok: true as const };
      },
    }),
    defineRoute({
      ...ofOne,
      method: "DELETE",
      summary: "Delete a record in quarantine",
      description:
        "Deletes the copy permanently, and with it the original if that is still the same.",
      errors: ["QUARANTINE_NOT_FOUND"],
      async handle({ params: { id = "" }, caller }) {
        await quarantine.delete(id);
        const by = caller?.sessionId ?? "";
        await audit.record("quarantine.deleted", { id, by });
        return { ok: true as const };
      },
    }),
  ];
}
