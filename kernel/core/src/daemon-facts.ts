import { X509Certificate } from "node:crypto";
import { join } from "node:path";
import type { DaemonFacts, PairedDevice, PluginFacts } from "@gantry/plugin";
import type { AuditEntry } from "@gantry/system/audit/audit-entry";
import type { AuditVerdict } from "@gantry/system/audit/verify-audit";
import type { Home } from "@gantry/system/home/home";
import type { Config } from "./config/config.ts";
import { digestOf } from "@gantry/system/plugin-packages/plugin-digest";
import type { PluginPackage } from "@gantry/system/plugin-packages/manifest";
import type { RunningParts } from "./start-plugins.ts";

/** How many of the newest entries of the audit log are shown. */
export const MAX_ENTRIES = 100;

/** Describes a daemon from its inside. */
export async function describeDaemon(
  { options, foundation, http, ports, plugins }: RunningParts,
  startedAt: string,
): Promise<DaemonFacts> {
  const { audit, clock, config, home, quarantine } = foundation;
  const online = http.connections.onlineSessions();
  const certificate = ports.certificate?.cert;
  return {
    ...describeHome(home),
    at: clock.timestamp(),
    version: options.version,
    daemon: {
      pid: process.pid,
      url: http.policy.canonicalOrigin,
      startedAt,
    },
    configFault: null,
    listening: ports.addresses.map((address) => ({
      address,
      port: ports.port,
    })),
    tls: toTls(config),
    certificateEndsAt: certificate
      ? new X509Certificate(certificate).validToDate.toISOString()
      : null,
    names: [...http.policy.names],
    mode: http.mode.current(),
    devices: http.sessions
      .list()
      .map((session) => toDevice(session, online.has(session.id))),
    plugins: await Promise.all(plugins.list().map(toPluginFacts)),
    storage: {
      kind:
        typeof config.storage === "string"
          ? config.storage
          : config.storage.driver,
      problem: null,
      tooNew: quarantine.tooNew,
    },
    quarantine: quarantine.list(),
    audit: toAuditFacts(
      await audit.verify(),
      audit.latest(MAX_ENTRIES),
      audit.fault,
    ),
  };
}

/** What is so of a home whether or not a daemon runs. */
export const describeHome = (
  home: Home,
): Pick<DaemonFacts, "home" | "secretPaths"> => ({
  home: home.folder,
  secretPaths: [
    home.folder,
    home.token,
    home.database,
    `${home.database}-wal`,
    home.certificate,
    join(home.folder, "control.sock"),
    home.audit,
    join(home.folder, "config.json"),
  ],
});

/** How what is sent is encrypted. */
export const toTls = ({ https }: Pick<Config, "https">): DaemonFacts["tls"] =>
  https === false ? "none" : https === true ? "self-signed" : "configured";

/** A session without its token's hash. */
export function toDevice(
  session: Omit<PairedDevice, "online">,
  online: boolean,
): PairedDevice {
  const { id, device, address, createdAt, lastSeenAt } = session;
  return { id, device, address, createdAt, lastSeenAt, online };
}

/** Describes a plugin, with a digest of what its package runs. */
export async function toPluginFacts(
  plugin: Omit<PluginFacts, "package" | "digest"> & {
    package: PluginPackage | undefined;
  },
): Promise<PluginFacts> {
  const { id, version, origin, state, reason, faults, package: found } = plugin;
  return {
    id,
    package: found?.packageName ?? null,
    version,
    origin,
    state,
    reason,
    faults,
    digest: found ? await digestOf(found).catch(() => null) : null,
  };
}

/**
 * Describes the audit log.
 *
 * @param latest The newest first.
 * @param fault Why nothing can be written, if that is so.
 */
export function toAuditFacts(
  verdict: AuditVerdict,
  latest: readonly AuditEntry[],
  fault?: string,
): DaemonFacts["audit"] {
  const shown = latest.map(({ prev: _, hash: __, ...entry }) => entry);
  if (verdict.state === "broken") {
    const { file, line, reason } = verdict;
    const problem = `${file}${line > 0 ? `, line ${line}` : ""}: ${reason}`;
    return { state: "broken", entries: 0, problem, latest: shown };
  }
  return {
    state: verdict.entries > 0 ? "intact" : "empty",
    entries: verdict.entries,
    problem: fault === undefined ? null : `It cannot be written: ${fault}`,
    latest: shown,
  };
}
