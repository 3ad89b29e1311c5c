import { defineRoute, paginate, quarantineErrors } from "@gantry/plugin";
import type { DaemonQuarantine, RouteDefinition } from "@gantry/plugin";
import { okAnswer, pageOf, pageQuery } from "@gantry/plugin/zod";
import { Quarantined, toQuarantined } from "../report.ts";

const PATH = "/api/doctor/quarantine";
const ofOne = {
  access: "session",
  path: `${PATH}/{id}`,
  params: {
    id: { prefix: "qua", missing: quarantineErrors.QUARANTINE_NOT_FOUND },
  },
  returns: okAnswer,
} as const;

/** Makes the operations that list what is in quarantine, and let records out of it. */
export function createQuarantineRoutes(
  quarantine: DaemonQuarantine,
): RouteDefinition[] {
  return [
    defineRoute({
      method: "GET",
      path: PATH,
      summary: "Records in quarantine",
      description:
        "Copies of records that could not be read, the newest first. The originals are left as they are.",
      access: "session",
      query: pageQuery,
      returns: pageOf(Quarantined),
      handle({ query }) {
        const { items, nextCursor } = paginate(
          quarantine.list(),
          query,
          ({ at, id }) => (at ?? "") + id,
        );
        return { items: items.map(toQuarantined), nextCursor };
      },
    }),
    defineRoute({
      ...ofOne,
      method: "POST",
      path: `${PATH}/{id}/restore`,
      summary: "Restore a record from quarantine",
      description:
        "Puts the copy back where it was, if it fits its schema by now and nothing was written in its place.",
      errors: ["QUARANTINE_NOT_FOUND", "QUARANTINE_NOT_RESTORED"],
      async handle({ params, caller }) {
        await quarantine.restore(params.id, caller?.sessionId ?? "");
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
      async handle({ params, caller }) {
        await quarantine.delete(params.id, caller?.sessionId ?? "");
        return { ok: true as const };
      },
    }),
  ];
}
