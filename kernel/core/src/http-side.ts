import { createAuthRoutes } from "./auth/auth-routes.ts";
import { createAuthenticator } from "./auth/authenticator.ts";
import { openInstallToken } from "@gantry/system/home/install-token";
import type { InstallToken } from "@gantry/system/home/install-token";
import { openAuthMode } from "./auth/mode.ts";
import type { AuthMode } from "./auth/mode.ts";
import { createPairing } from "./auth/pairing.ts";
import type { Pairing } from "./auth/pairing.ts";
import { createPairRoute } from "./auth/pairing-routes.ts";
import { openSessions } from "./auth/sessions.ts";
import type { Sessions } from "./auth/sessions.ts";
import { noteRefusal } from "./audit/note-refusal.ts";
import { watchSessions } from "./audit/watch-sessions.ts";
import type { Foundation } from "./foundation.ts";
import { createApp } from "@gantry/http/app";
import type { App } from "@gantry/http/app";
import { createConnections } from "@gantry/http/connections";
import type { Connections } from "@gantry/http/connections";
import { createGate } from "@gantry/http/gate";
import { createHostPolicy } from "@gantry/http/host-policy";
import type { HostPolicy, HostPolicyOptions } from "@gantry/http/host-policy";
import type { Inspect } from "@gantry/http/inspect";
import type { Peers } from "@gantry/http/peer-address";
import type { RouteOwner } from "@gantry/http/route-table";
import { createSocketServer } from "@gantry/http/sockets";
import type { SocketServer } from "@gantry/http/sockets";
import { createScopedStore } from "@gantry/store/scoped-store";

/** The HTTP side of a kernel: who may come in, and what answers. */
export interface HttpSide {
  readonly app: App;
  readonly sockets: SocketServer;
  readonly connections: Connections;
  readonly policy: HostPolicy;
  readonly sessions: Sessions;
  readonly pairing: Pairing;
  readonly token: InstallToken;
  readonly mode: AuthMode;
  /** The owner of the kernel's own operations. */
  readonly owner: RouteOwner;
}

/** Puts the gate, the app and the sockets together. */
export async function createHttpSide(
  foundation: Foundation,
  options: HostPolicyOptions & {
    peers: Peers;
    inspect: Inspect | undefined;
    unavailableAt(path: string): Error | undefined;
  },
): Promise<HttpSide> {
  const { audit, clock, idempotency, logOf } = foundation;
  const log = logOf("kernel");
  const policy = createHostPolicy(options);
  const { authenticator, ...auth } = await openAuth(foundation, policy);
  const { connections } = auth;
  const { inspect, peers, unavailableAt } = options;
  const sockets = createSocketServer({ connections, clock, log });
  const app = createApp({
    gate: createGate(policy, authenticator),
    authenticator,
    onRefusal: (request, code) => noteRefusal(audit, request, code),
    sockets,
    peers,
    clock,
    connections,
    idempotency,
    logOf,
    log,
    inspect,
    unavailableAt,
  });
  const stopping = new AbortController();
  const owner: RouteOwner = {
    plugin: "kernel",
    signal: stopping.signal,
    inFlight: new Set(),
    isSystem: true,
  };
  const host = { ...auth, policy, audit };
  for (const definition of createAuthRoutes(host))
    app.table.addRoute({ definition, owner });
  app.table.addRoute({
    definition: createPairRoute(host),
    owner,
    isPublic: true,
  });
  return { app, sockets, policy, owner, ...auth };
}

/** Opens what says who may come in. */
async function openAuth(
  { audit, core, clock, home, logOf, quarantine, redact }: Foundation,
  policy: HostPolicy,
) {
  const log = logOf("kernel");
  const parts = { core, quarantine, clock, log };
  const store = createScopedStore("auth", parts);
  const connections = createConnections((caller) =>
    authenticator.isCurrent(caller),
  );
  const pairing = createPairing(clock);
  redact.watch(pairing.isOpen);
  const opened = await openSessions(store, clock, (id) => {
    pairing.endIssuer(id);
    connections.endSession(id);
    void audit.record("session.ended", { session: id });
  });
  const sessions = watchSessions(opened, audit);
  const token = await openInstallToken(home, log);
  const mode = await openAuthMode(store);
  const authenticator = createAuthenticator({ sessions, token, mode, policy });
  return { connections, pairing, sessions, token, mode, authenticator };
}
