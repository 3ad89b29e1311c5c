import { join } from "node:path";
import type { DaemonCheck, DaemonQuarantine, DaemonView } from "@gantry/plugin";
import { createSystemClock } from "@gantry/system/clock/system-clock";
import { createDaemonView } from "./daemon-view/daemon-view.ts";
import type { DaemonViewHost } from "./daemon-view/daemon-view.ts";
import type { Foundation } from "./foundation.ts";
import type { HttpSide } from "./http-side.ts";
import { createOutboundConnect } from "@gantry/system/outbound/outbound-connect";
import type { ResolveName } from "@gantry/system/outbound/address-guard";
import { createOutboundFetch } from "@gantry/system/outbound/outbound-fetch";
import type { ContextHost } from "./plugins/context.ts";
import { createServiceRegistry } from "./plugins/service-registry.ts";
import type { Children } from "@gantry/system/processes/children";
import { openDetachedPrograms } from "@gantry/system/processes/detached-programs";
import {
  refuseConnect,
  refuseCopies,
  refuseFetch,
  REHEARSAL_REFUSAL,
} from "./rehearsal/rehearsal.ts";

/** Dependencies of {@link createContextHost}. */
export interface ContextHostParts {
  foundation: Foundation;
  http: HttpSide;
  children: Children;
  wholeHome: ContextHost["wholeHome"];
  plugins: DaemonViewHost["plugins"];
  startedAt: string;
  facts: DaemonView["facts"];
  /** Port that the daemon listens on. */
  port: number;
  /** Addresses of names that `connect` does not look up. */
  resolveName: ResolveName | undefined;
  /** Whether the daemon only tries a start on a copy of a home. */
  isRehearsal: boolean;
}

/** Puts together what plugins reach of the kernel. */
export function createContextHost(parts: ContextHostParts): ContextHost {
  const { foundation, http, children, wholeHome, isRehearsal } = parts;
  const { audit, bus, clock, core, eventLog, home, logOf, quarantine } =
    foundation;
  // Programs live in real time, whatever clock the daemon has.
  const realClock = createSystemClock();
  const checks = new Set<DaemonCheck>();
  const detached = openDetachedPrograms(join(home.processes, "detached"));
  return {
    app: http.app,
    connections: http.connections,
    bus,
    eventLog,
    clock,
    logOf,
    services: createServiceRegistry(),
    checks,
    audit,
    store: { core, quarantine, clock },
    run: {
      markers: foundation.markers,
      children,
      detached,
      clock: realClock,
      environment: process.env,
      refusal: isRehearsal ? REHEARSAL_REFUSAL : undefined,
    },
    daemon: {
      ...createDaemonView({
        startedAt: parts.startedAt,
        plugins: parts.plugins,
        children,
        detached,
        logRing: foundation.logRing,
      }),
      facts: parts.facts,
      checks: () => [...checks],
      quarantine: createDaemonQuarantine(foundation),
    },
    outboundFetch: isRehearsal
      ? refuseFetch
      : createOutboundFetch({
          allowPrivate: true,
          ownPorts: () => [parts.port],
        }),
    outboundConnect: isRehearsal
      ? refuseConnect
      : createOutboundConnect({
          ownPorts: () => [parts.port],
          ownNames: http.policy.ownNames,
          resolveName: parts.resolveName,
        }),
    home,
    wholeHome: isRehearsal ? refuseCopies(wholeHome) : wholeHome,
    origin: http.policy.publicOrigin,
    localOrigin: http.policy.localOrigin,
  };
}

/** The quarantine as system plugins have it: the audit log tells who let what out of it. */
function createDaemonQuarantine({
  audit,
  quarantine,
}: Foundation): DaemonQuarantine {
  return {
    list: quarantine.list,
    async restore(id, by) {
      await quarantine.restore(id);
      await audit.record("quarantine.restored", { id, by });
    },
    async delete(id, by) {
      await quarantine.delete(id);
      await audit.record("quarantine.deleted", { id, by });
    },
  };
}
