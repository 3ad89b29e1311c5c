import { X509Certificate } from "node:crypto";
import type { Config } from "../config/config.ts";
import type { Foundation } from "../foundation.ts";
import type { HttpSide } from "../http-side.ts";
import type { OpenPorts } from "@gantry/http/open-ports";
import type { PluginHost } from "../plugins/plugin-host.ts";
import type { StallWatch } from "../watch/stall-watch.ts";
import {
  freeBytesOf,
  gatherCommon,
  reachOf,
  toAuditFact,
  toPluginFact,
  toQuarantinedFact,
} from "./gather-common.ts";
import type { Facts } from "./report.ts";

/** What a running daemon knows of itself. */
export interface RunningHost {
  version: string;
  startedAt: string;
  config: Config;
  foundation: Foundation;
  http: HttpSide;
  ports: Pick<OpenPorts, "addresses" | "port" | "certificate">;
  plugins: PluginHost;
  stalls: StallWatch;
}

const MAX_ENTRIES = 100;
const MAX_QUARANTINED = 50;

/** Looks at a daemon from its inside. */
export async function gatherRunning(host: RunningHost): Promise<Facts> {
  const { foundation, http, ports, config } = host;
  const { home, clock, audit } = foundation;
  const quarantined = foundation.quarantine.list();
  const online = http.connections.onlineSessions();
  const certificate = ports.certificate?.cert;
  return {
    ...(await gatherCommon(home, process.env.PATH ?? "")),
    at: clock.timestamp(),
    version: host.version,
    daemon: {
      pid: process.pid,
      url: http.policy.canonicalOrigin,
      startedAt: host.startedAt,
    },
    listening: ports.addresses.map((address) => ({
      address,
      port: ports.port,
      reach: reachOf(address),
    })),
    tls: !certificate
      ? "none"
      : config.https === true
        ? "self-signed"
        : "configured",
    certificateEndsAt: certificate ? endOf(certificate) : null,
    names: [...http.policy.names],
    mode: http.mode.current(),
    devices: http.sessions
      .list()
      .map(({ id, device, address, createdAt, lastSeenAt }) => ({
        id,
        device,
        address,
        createdAt,
        lastSeenAt,
        online: online.has(id),
      })),
    plugins: await Promise.all(host.plugins.list().map(toPluginFact)),
    storage: {
      kind:
        typeof config.storage === "string"
          ? config.storage
          : config.storage.driver,
      freeBytes: await freeBytesOf(home.folder),
      problem: null,
      tooNew: foundation.quarantine.tooNew,
    },
    quarantine: {
      count: quarantined.length,
      items: quarantined.slice(0, MAX_QUARANTINED).map(toQuarantinedFact),
    },
    audit: toAuditFact(
      await audit.verify(),
      audit.latest(MAX_ENTRIES),
      audit.fault,
    ),
    stalls: host.stalls.recent(),
  };
}

function endOf(certificate: string): string {
  return new X509Certificate(certificate).validToDate.toISOString();
}
