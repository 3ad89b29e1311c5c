import { statfs } from "node:fs/promises";
import type { AuditEntry } from "@gantry/system/audit/audit-entry";
import type { AuditVerdict } from "@gantry/system/audit/verify-audit";
import type { Home } from "@gantry/system/home/home";
import { digestOf } from "@gantry/system/plugin-packages/plugin-digest";
import type {
  PluginOrigin,
  PluginPackage,
} from "@gantry/system/plugin-packages/manifest";
import { findExecutable } from "@gantry/system/processes/executable";
import type { QuarantinedRecord } from "@gantry/store/quarantine-copies";
import { findExposed } from "./exposure.ts";
import type { Facts } from "./report.ts";

/** Programs that parts of the daemon use when they are there. */
const PROGRAMS = ["git", "gh", "pi", "claude", "codex", "opencode", "gemini"];

/** What can be seen from outside of a daemon, whether or not one runs. */
export async function gatherCommon(
  home: Home,
  path: string,
): Promise<Pick<Facts, "node" | "platform" | "home" | "exposed" | "programs">> {
  const programs = PROGRAMS.map(async (name) => ({
    name,
    path: (await findExecutable(name, path)) ?? null,
  }));
  return {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    home: home.folder,
    exposed: await findExposed(home),
    programs: await Promise.all(programs),
  };
}

/** Bytes that are free on the disk of a folder, `null` if it is not there. */
export async function freeBytesOf(folder: string): Promise<number | null> {
  return statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => null,
  );
}

/** A plugin as the report shows it. */
export async function toPluginFact(plugin: {
  id: string;
  version: string;
  origin: PluginOrigin;
  state: string;
  reason: string | null;
  faults: number;
  package: PluginPackage | undefined;
}): Promise<Facts["plugins"][number]> {
  const { id, version, origin, state, reason, faults, package: found } = plugin;
  return {
    id,
    package: found?.packageName ?? null,
    version,
    origin: origin === "builtin" ? "bundled" : "installed",
    state,
    reason,
    faults,
    digest: found ? await digestOf(found).catch(() => null) : null,
  };
}

/** A record in quarantine as the report shows it: without what is in it. */
export function toQuarantinedFact({
  id,
  owner,
  key,
  reason,
  at,
}: QuarantinedRecord): NonNullable<Facts["quarantine"]>["items"][number] {
  return { id, plugin: owner, key, reason, at };
}

/** The state of the audit log, with its newest entries first. */
export function toAuditFact(
  verdict: AuditVerdict,
  latest: readonly AuditEntry[],
  fault?: string,
): Facts["audit"] {
  const entries = latest.map(({ seq, at, by, action, details, again }) => ({
    seq,
    at,
    by,
    action,
    details: details as Facts["audit"]["latest"][number]["details"],
    again: again ?? null,
  }));
  if (verdict.state === "broken") {
    const { file, line, reason } = verdict;
    const problem = `${file}${line > 0 ? `, line ${line}` : ""}: ${reason}`;
    return { state: "broken", entries: 0, problem, latest: entries };
  }
  return {
    state: verdict.entries > 0 ? "intact" : "empty",
    entries: verdict.entries,
    problem: fault === undefined ? null : `It cannot be written: ${fault}`,
    latest: entries,
  };
}

/** Whether an address can be reached from this machine alone. */
export function reachOf(address: string): "this machine" | "the network" {
  return address === "::1" || address.startsWith("127.")
    ? "this machine"
    : "the network";
}
