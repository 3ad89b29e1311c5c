import { defineRoute } from "@gantry/plugin";
import type { PluginContext, RouteDefinition } from "@gantry/plugin";
import { examine } from "../examine.ts";
import { DoctorReport } from "../report.ts";
import { runChecks } from "../run-checks.ts";

/**
 * Makes the operation that examines the daemon.
 *
 * @param recentStalls Gives when its event loop was blocked, the newest first.
 */
export function createDoctorRoute(
  { daemon, log, run }: PluginContext,
  recentStalls: () => DoctorReport["stalls"],
): RouteDefinition {
  return defineRoute({
    method: "GET",
    path: "/api/doctor",
    summary: "How this daemon stands",
    description:
      "What listens where, who is paired, which names are accepted, where plugins come from, the newest entries of the audit log, and what is not as it should be, each with a fix. The same as `gantry doctor --json`.",
    access: "session",
    returns: DoctorReport,
    async handle() {
      const [facts, reported] = await Promise.all([
        daemon.facts(),
        runChecks(daemon.checks(), log),
      ]);
      const stalls = recentStalls();
      return examine(facts, { find: run.find, reported, stalls });
    },
  });
}
