import { defineRoute, paginate, quarantineErrors } from "@gantry/plugin";
import type {
  KernelFacts,
  KernelQuarantine,
  RouteDefinition,
} from "@gantry/plugin";
import { okAnswer, pageOf, pageQuery } from "@gantry/plugin/zod";
import { DoctorReport, Quarantined } from "./contract.ts";
import { examine } from "./examine.ts";

/** Dependencies of {@link createDoctorRoutes}. */
export interface DoctorRoutesHost {
  facts: KernelFacts;
  quarantine: KernelQuarantine;
}

/** Creates the routes of the report, and of the records in quarantine. */
export function createDoctorRoutes({
  facts,
  quarantine,
}: DoctorRoutesHost): RouteDefinition[] {
  const common = { access: "session" } as const;
  const ofOne = {
    ...common,
    path: "/api/doctor/quarantine/{id}",
    params: {
      id: { prefix: "qua", missing: quarantineErrors.QUARANTINE_NOT_FOUND },
    },
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
      handle: () => examine(facts),
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
      handle: async ({ query }) =>
        paginate(
          await quarantine.list(),
          query,
          ({ at, id }) => (at ?? "") + id,
        ),
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
        await quarantine.restore({ id, by: caller?.sessionId ?? "" });
        return { ok: true as const };
      },
    }),
    defineRoute({
      ...ofOne,
      method: "DELETE",
      summary: "Delete a record in quarantine",
      description:
        "Deletes the copy for good, and with it the original if that is still the same.",
      errors: ["QUARANTINE_NOT_FOUND"],
      async handle({ params: { id = "" }, caller }) {
        await quarantine.delete({ id, by: caller?.sessionId ?? "" });
        return { ok: true as const };
      },
    }),
  ];
}
