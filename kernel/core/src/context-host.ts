import { join } from "node:path";
import { createSystemClock } from "@gantry/system/clock/system-clock";
import { openGitViews } from "@gantry/system/git/git-views";
import { createOutboundConnect } from "@gantry/system/outbound/outbound-connect";
import { createOutboundFetch } from "@gantry/system/outbound/outbound-fetch";
import { openDetachedPrograms } from "@gantry/system/processes/detached-programs";
import { createDaemonView } from "./daemon-view/daemon-view.ts";
import type { DaemonViewHost } from "./daemon-view/daemon-view.ts";
import type { PluginChecks } from "./plugins/plugin-checks.ts";
import type { Foundation } from "./foundation.ts";
import type { HttpSide } from "./http-side.ts";
import type { ResolveName } from "@gantry/system/outbound/outbound-connect";
import type { Children } from "@gantry/system/processes/children";
import type { PluginContextHost } from "./plugins/plugin-context-host.ts";
import { createServiceRegistry } from "./plugins/service-registry.ts";
import { createStartPass } from "./plugins/start-pass.ts";
import {
  refuseConnect,
  refuseCopies,
  refuseFetch,
  REHEARSAL_REFUSAL,
} from "./rehearsal.ts";

/** Dependencies of {@link createContextHost}. */
export interface ContextHostParts {
  foundation: Foundation;
  http: HttpSide;
  children: Children;
  checks: PluginChecks;
  wholeHome: PluginContextHost["wholeHome"];
  plugins: DaemonViewHost["plugins"];
  startedAt: string;
  /** Id of this start of the daemon. */
  bootId: string;
  /** Port that the daemon listens on. */
  port: number;
  /** Addresses of names that `connect` does not look up. */
  resolveName: ResolveName | undefined;
  /** Whether the daemon only tries a start on a copy of a home. */
  isRehearsal: boolean;
}

/** Assembles the parts of the kernel that plugins use through their context. */
export function createContextHost(parts: ContextHostParts): PluginContextHost {
  const { foundation, http, children, checks, wholeHome, isRehearsal } = parts;
  const { audit, bus, clock, core, eventLog, home, logOf, quarantine } =
    foundation;
  // Programs need real time, even if the daemon has another clock.
  const realClock = createSystemClock();
  const detached = openDetachedPrograms(join(home.processes, "detached"));
  return {
    app: http.app,
    addContent: http.addContent,
    sockets: http.sockets,
    connections: http.connections,
    bus,
    eventLog,
    clock,
    logOf,
    services: createServiceRegistry(),
    startPass: createStartPass(),
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
    daemon: createDaemonView({
      startedAt: parts.startedAt,
      bootId: parts.bootId,
      plugins: parts.plugins,
      children,
      detached,
      logRing: foundation.logRing,
      log: logOf("kernel"),
      clock: realClock,
    }),
    gitViews: openGitViews(join(home.cache, "git")),
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
