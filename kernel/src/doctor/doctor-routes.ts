import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import { DoctorReport } from "./report.ts";

/** Tells how the daemon stands, as `gantry doctor` does. */
export function createDoctorRoutes(
  examine: () => Promise<DoctorReport>,
): RouteDefinition[] {
  return [
    defineRoute({
      method: "GET",
      path: "/api/doctor",
      summary: "How this daemon stands",
      description:
        "What listens where, who is paired, which names are accepted, where plugins come from, the newest entries of the audit log, and what is not as it should be, each with a fix. The same as `gantry doctor --json`.",
      access: "session",
      returns: DoctorReport,
      handle: examine,
    }),
  ];
}
