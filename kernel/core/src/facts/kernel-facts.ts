import { X509Certificate } from "node:crypto";
import type { KernelFacts } from "@gantry/plugin";
import type { OpenPorts } from "@gantry/http/open-ports";
import type { StallWatch } from "@gantry/system/clock/stall-watch";
import type { Config } from "../config/config.ts";
import type { Foundation } from "../foundation.ts";
import type { HttpSide } from "../http-side.ts";
import type { PluginChecks } from "../plugins/plugin-checks.ts";
import type { PluginHost } from "../plugins/plugin-host.ts";
import {
  freeBytesOf,
  gatherCommon,
  MAX_AUDIT_ENTRIES,
  MAX_QUARANTINED,
  reachOf,
  toAuditFacts,
  toQuarantinedRecord,
} from "./gather-common.ts";

/** Dependencies of {@link createKernelFacts}. */
export interface KernelFactsHost {
  version: string;
  startedAt: string;
  config: Config;
  foundation: Foundation;
  http: HttpSide;
  ports: Pick<OpenPorts, "addresses" | "port" | "certificate">;
  plugins: PluginHost;
  stalls: StallWatch;
  checks: PluginChecks;
}

/** Creates the facts of a running daemon. */
export function createKernelFacts(host: KernelFactsHost): KernelFacts {
  const { foundation, http, ports, config } = host;
  const { home, clock, audit, quarantine } = foundation;
  const { storage } = config;
  return {
    findings: () => host.checks.run(),
    async read() {
      const quarantined = quarantine.list();
      return {
        ...(await gatherCommon(home, process.env, host.plugins.list())),
        at: clock.timestamp(),
        version: host.version,
        daemon: {
          pid: process.pid,
          url: http.policy.canonicalOrigin,
          startedAt: host.startedAt,
          memoryBytes: process.memoryUsage.rss(),
        },
        isSilent: false,
        configProblem: null,
        listening: ports.addresses.map((address) => ({
          address,
          port: ports.port,
          reach: reachOf(address),
        })),
        ...describeCertificate(ports.certificate?.cert, config),
        names: [...http.policy.names],
        mode: http.mode.current(),
        devices: listDevices(http),
        storage: {
          kind: typeof storage === "string" ? storage : storage.driver,
          freeBytes: await freeBytesOf(home.folder),
          problem: null,
          tooNew: quarantine.tooNew,
        },
        quarantine: {
          count: quarantined.length,
          items: quarantined.slice(0, MAX_QUARANTINED).map(toQuarantinedRecord),
        },
        audit: toAuditFacts(
          await audit.verify(),
          audit.latest(MAX_AUDIT_ENTRIES),
          audit.fault,
        ),
        stalls: host.stalls.recent(),
      };
    },
  };
}

function describeCertificate(
  certificate: string | undefined,
  { https }: Config,
) {
  if (!certificate) return { tls: "none", certificateEndsAt: null } as const;
  const { validToDate } = new X509Certificate(certificate);
  return {
    tls: https === true ? "self-signed" : "configured",
    certificateEndsAt: validToDate.toISOString(),
  } as const;
}

function listDevices({ connections, sessions }: HttpSide) {
  const online = connections.onlineSessions();
  return sessions
    .list()
    .map(({ id, device, address, createdAt, lastSeenAt }) => ({
      ...{ id, device, address, createdAt, lastSeenAt },
      online: online.has(id),
    }));
}
