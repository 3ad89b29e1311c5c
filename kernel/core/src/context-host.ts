import { join } from "node:path";
import type { DaemonCheck, DaemonQuarantine } from "@gantry/plugin";
import { createSystemClock } from "@gantry/system/clock/system-clock";
import { createDaemonView } from "./daemon-view/daemon-view.ts";
import { describeDaemon } from "./daemon-facts.ts";
import type { Foundation } from "./foundation.ts";
import { createOperationList } from "@gantry/http/describe-operations";
import { createOutboundConnect } from "@gantry/system/outbound/outbound-connect";
import { createOutboundFetch } from "@gantry/system/outbound/outbound-fetch";
import type { ContextHost } from "./plugins/context.ts";
import { createServiceRegistry } from "./plugins/service-registry.ts";
import { openDetachedPrograms } from "@gantry/system/processes/detached-programs";
import {
  refuseConnect,
  refuseCopy,
  refuseFetch,
  REHEARSAL_REFUSAL,
} from "./rehearsal/rehearsal.ts";
import type { RunningParts } from "./start-plugins.ts";

/** Puts together what plugins reach of the kernel. */
export function createContextHost(
  running: RunningParts,
  wholeHome: ContextHost["wholeHome"],
): ContextHost {
  const { options, foundation, http, ports, shutdown } = running;
  const { children } = shutdown;
  const isRehearsal = options.rehearsal !== undefined;
  const { audit, bus, clock, core, eventLog, home, logOf, quarantine } =
    foundation;
  // Programs live in real time, whatever clock the daemon has.
  const realClock = createSystemClock();
  const checks = new Set<DaemonCheck>();
  const startedAt = clock.timestamp();
  const ownPorts = () => [ports.port];
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
        startedAt,
        plugins: () => running.plugins.list(),
        children,
        detached,
        logRing: foundation.logRing,
      }),
      operations: createOperationList(http.app.table),
      facts: () => describeDaemon(running, startedAt),
      checks: () => [...checks],
      quarantine: createDaemonQuarantine(foundation),
    },
    outboundFetch: isRehearsal
      ? refuseFetch
      : createOutboundFetch({ allowPrivate: true, ownPorts }),
    outboundConnect: isRehearsal
      ? refuseConnect
      : createOutboundConnect({
          ownPorts,
          ownNames: http.policy.ownNames,
          resolveName: options.resolveName,
        }),
    home,
    wholeHome: isRehearsal
      ? (owner) => ({
          ...wholeHome(owner),
          ...{ readStore: refuseCopy, stage: refuseCopy, replace: refuseCopy },
        })
      : wholeHome,
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
