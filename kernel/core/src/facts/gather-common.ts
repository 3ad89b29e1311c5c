import { readdir, statfs } from "node:fs/promises";
import { join } from "node:path";
import type {
  AuditValue,
  DaemonFacts,
  QuarantinedRecord,
} from "@gantry/plugin";
import type { AuditEntry } from "@gantry/audit/audit-entry";
import type { AuditVerdict } from "@gantry/audit/verify-audit";
import type { QuarantinedRecord as StoredRecord } from "@gantry/store/quarantine-copies";
import type { Home } from "@gantry/system/home/home";
import { findExecutable } from "@gantry/system/processes/executable";
import { digestOf } from "../plugins/plugin-digest.ts";
import type { PluginOrigin, PluginPackage } from "../plugins/manifest.ts";

/** Programs that the kernel uses if they are installed. */
const KERNEL_PROGRAMS = ["git"];
/** Entries of the audit log that are read. */
export const MAX_AUDIT_ENTRIES = 100;
/** Records in quarantine that are listed. */
export const MAX_QUARANTINED = 50;

/** Facts that can be read from outside of a daemon. */
type CommonFacts = Pick<
  DaemonFacts,
  | "node"
  | "platform"
  | "home"
  | "privatePaths"
  | "isRoot"
  | "checksCertificates"
  | "plugins"
  | "programs"
>;

/** A plugin before it is described. */
interface KnownPlugin {
  id: string;
  version: string;
  origin: PluginOrigin;
  state: DaemonFacts["plugins"][number]["state"];
  reason: string | null;
  package: PluginPackage | undefined;
}

/**
 * Reads the facts that do not depend on whether a daemon runs.
 *
 * @param environment The environment of the daemon, or of the command that would start it.
 */
export async function gatherCommon(
  home: Home,
  environment: NodeJS.ProcessEnv,
  plugins: readonly KnownPlugin[],
): Promise<CommonFacts> {
  const names = new Set([
    ...KERNEL_PROGRAMS,
    ...plugins.flatMap((plugin) =>
      (plugin.package?.uses ?? []).flatMap(({ programs }) => programs),
    ),
  ]);
  const programs = [...names].map(async (name) => ({
    name,
    path: (await findExecutable(name, environment.PATH ?? "")) ?? null,
  }));
  return {
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    home: home.folder,
    privatePaths: await listPrivatePaths(home),
    isRoot: process.getuid?.() === 0,
    checksCertificates: environment.NODE_TLS_REJECT_UNAUTHORIZED !== "0",
    plugins: await Promise.all(plugins.map(toPluginFacts)),
    programs: await Promise.all(programs),
  };
}

/** Free space on the disk of a folder, `null` if there is no such folder. */
export async function freeBytesOf(folder: string): Promise<number | null> {
  return statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => null,
  );
}

/** A record in quarantine, without its content. */
export function toQuarantinedRecord({
  id,
  owner,
  key,
  reason,
  at,
}: StoredRecord): QuarantinedRecord {
  return { id, plugin: owner, key, reason, at };
}

/**
 * The state of the audit log.
 *
 * @param latest Its newest entries, the newest first.
 * @param fault Why the audit log cannot be written.
 */
export function toAuditFacts(
  verdict: AuditVerdict,
  latest: readonly AuditEntry[],
  fault?: string,
): DaemonFacts["audit"] {
  const entries = latest.map(({ seq, at, by, action, details, again }) => ({
    seq,
    at,
    by,
    action,
    details: details as Record<string, AuditValue>,
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

/** Where an address can be reached from. */
export function reachOf(address: string): "this machine" | "the network" {
  return address === "::1" || address.startsWith("127.")
    ? "this machine"
    : "the network";
}

async function listPrivatePaths(home: Home): Promise<string[]> {
  const auditFiles = await readdir(home.audit).catch(() => []);
  return [
    home.folder,
    home.token,
    home.database,
    `${home.database}-wal`,
    home.certificate,
    join(home.folder, "control.sock"),
    home.audit,
    join(home.folder, "config.json"),
    ...auditFiles.map((name) => join(home.audit, name)),
  ];
}

async function toPluginFacts({
  origin,
  package: found,
  ...known
}: KnownPlugin): Promise<DaemonFacts["plugins"][number]> {
  const { id, version, state, reason } = known;
  return {
    id,
    package: found?.packageName ?? null,
    version,
    origin: origin === "builtin" ? "bundled" : "installed",
    state,
    reason,
    digest: found ? await digestOf(found).catch(() => null) : null,
    uses: (found?.uses ?? []).map(({ programs, missing }) => ({
      programs,
      missing: missing ?? null,
    })),
  };
}
