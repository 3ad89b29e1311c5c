import { join } from "node:path";
import type { DaemonCheck, DaemonQuarantine } from "@gantry/plugin";
import { createSystemClock } from "@gantry/system/clock/system-clock";
import { createDaemonView } from "./daemon-view/daemon-view.ts";
import type { DaemonViewHost } from "./daemon-view/daemon-view.ts";
import type { Config } from "./config/config.ts";
import { describeDaemon } from "./daemon-facts.ts";
import type { Foundation } from "./foundation.ts";
import type { KernelOptions } from "./kernel-options.ts";
import { createOperationList } from "@gantry/http/describe-operations";
import type { OpenPorts } from "@gantry/http/open-ports";
import type { HttpSide } from "./http-side.ts";
import { createOutboundConnect } from "@gantry/system/outbound/outbound-connect";
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
  options: KernelOptions;
  config: Config;
  foundation: Foundation;
  http: HttpSide;
  ports: OpenPorts;
  children: Children;
  wholeHome: ContextHost["wholeHome"];
  plugins: DaemonViewHost["plugins"];
}

/** Puts together what plugins reach of the kernel. */
export function createContextHost(parts: ContextHostParts): ContextHost {
  const { options, foundation, http, ports, children, wholeHome } = parts;
  const { version, resolveName } = options;
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
        plugins: parts.plugins,
        children,
        detached,
        logRing: foundation.logRing,
      }),
      operations: createOperationList(http.app.table),
      facts: () => describeDaemon({ ...parts, version, startedAt }),
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
          resolveName,
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
