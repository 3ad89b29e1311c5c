import { findFaults } from "./findings.ts";
import { gatherRunning } from "./gather-running.ts";
import type { RunningHost } from "./gather-running.ts";
import type { PluginChecks } from "./plugin-checks.ts";
import { gatherStopped } from "./gather-stopped.ts";
import type { StoppedHost } from "./gather-stopped.ts";
import type { DoctorReport } from "./report.ts";

const isRoot = () => process.getuid?.() === 0;

/** Looks at a daemon from its inside and concludes. */
export async function examineRunning(
  host: RunningHost,
  checks: PluginChecks,
): Promise<DoctorReport> {
  const [facts, reported] = await Promise.all([
    gatherRunning(host),
    checks.run(),
  ]);
  const circumstances = { environment: process.env, isRoot: isRoot() };
  return { ...facts, findings: findFaults(facts, circumstances, reported) };
}

/**
 * Looks at a home from outside and concludes.
 *
 * @param isSilent Whether a daemon is there that does not answer.
 */
export async function examineStopped(
  host: StoppedHost,
  isSilent: boolean,
): Promise<DoctorReport> {
  const { facts, configFault } = await gatherStopped(host);
  const { environment } = host;
  const circumstances = {
    configFault,
    isSilent,
    environment,
    isRoot: isRoot(),
  };
  return { ...facts, findings: findFaults(facts, circumstances) };
}
