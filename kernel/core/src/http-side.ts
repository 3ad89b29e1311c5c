import type { ContentDefinition, Disposer } from "@gantry/plugin";
import { createModeRoute, createTokenRoute } from "./auth/access-routes.ts";
import type { AuthHost } from "./auth/auth-host.ts";
import { createAuthenticator } from "./auth/authenticator.ts";
import { openInstallToken } from "@gantry/system/home/install-token";
import type { InstallToken } from "@gantry/system/home/install-token";
import { openAuthMode } from "./auth/mode.ts";
import type { AuthMode } from "./auth/mode.ts";
import { createPairing } from "./auth/pairing.ts";
import type { Pairing } from "./auth/pairing.ts";
import { createPairingRoute, createPairRoute } from "./auth/pairing-routes.ts";
import { createSessionRoutes } from "./auth/session-routes.ts";
import { openSessions } from "./auth/sessions.ts";
import type { Sessions } from "./auth/sessions.ts";
import { watchGate } from "./audit/watch-gate.ts";
import { watchSessions } from "./audit/watch-sessions.ts";
import type { Foundation } from "./foundation.ts";
import { createApp } from "@gantry/http/app";
import { toContent } from "@gantry/http/content";
import { createConnections } from "@gantry/http/connections";
import { createGate } from "@gantry/http/gate";
import { createHostPolicy } from "@gantry/http/host-policy";
import { createSocketServer } from "@gantry/http/sockets";
import type { App } from "@gantry/http/app";
import type { Connections } from "@gantry/http/connections";
import type { HostPolicy, HostPolicyOptions } from "@gantry/http/host-policy";
import type { Handlers } from "@gantry/http/listener";
import type { Peers } from "@gantry/http/peer-address";
import type { RouteOwner } from "@gantry/http/route-table";
import type { SocketServer } from "@gantry/http/sockets";
import { createScopedStore } from "@gantry/store/scoped-store";

/** The HTTP side of a kernel: authentication, operations, content and sockets. */
export interface HttpSide {
  readonly app: App;
  readonly sockets: SocketServer;
  readonly connections: Connections;
  readonly policy: HostPolicy;
  readonly sessions: Sessions;
  readonly pairing: Pairing;
  readonly token: InstallToken;
  readonly mode: AuthMode;
  readonly handlers: Handlers;
  /** The owner of the kernel's own operations. */
  readonly owner: RouteOwner;
  /** Serves content of a plugin until it is removed. */
  addContent(definition: ContentDefinition, owner: RouteOwner): Disposer;
}

/** Creates the gate, the app and the sockets, with the operations of pairing and sessions. */
export async function createHttpSide(
  foundation: Foundation,
  options: HostPolicyOptions & {
    peers: Peers;
    checkAnswers: boolean;
    unavailableAt(path: string): Error | undefined;
  },
): Promise<HttpSide> {
  const { audit, core, clock, home, idempotency, logOf, quarantine } =
    foundation;
  const log = logOf("kernel");
  const store = (owner: string) =>
    createScopedStore(owner, { core, quarantine, clock, log });
  const policy = createHostPolicy(options);
  const connections = createConnections((caller) =>
    authenticator.isCurrent(caller),
  );
  const pairing = createPairing(clock);
  foundation.redact.watch(pairing.isOpen);
  const opened = await openSessions(store("auth"), clock, (id) => {
    pairing.endIssuer(id);
    connections.endSession(id);
    void audit.record("session.ended", { session: id });
  });
  const sessions = watchSessions(opened, audit);
  const token = await openInstallToken(home.token);
  const mode = await openAuthMode(store("auth"));
  const authenticator = createAuthenticator({ sessions, token, mode, policy });
  const gate = watchGate(createGate(policy, authenticator), audit);
  const { checkAnswers, peers, unavailableAt } = options;
  const shared = { gate, peers, clock, connections, log, unavailableAt };
  const app = createApp({
    ...shared,
    idempotency,
    logOf,
    checks: checkAnswers
      ? { fault: (text) => log.error(text), home: home.folder }
      : undefined,
  });
  const sockets = createSocketServer(shared);

  const owner: RouteOwner = {
    plugin: "kernel",
    signal: new AbortController().signal,
    follow: (work) => work,
  };
  const auth = {
    ...{ sessions, pairing, token, mode },
    ...{ policy, connections, audit },
  };
  addAuthRoutes(app, owner, auth);

  return {
    app,
    sockets,
    connections,
    policy,
    sessions,
    pairing,
    token,
    mode,
    owner,
    handlers: { request: app.handler, upgrade: sockets.handleUpgrade },
    addContent: (definition, contentOwner) =>
      app.addContent(
        toContent(
          { policy, unavailableAt, ...authenticator },
          definition,
          contentOwner,
        ),
      ),
  };
}

/** Adds the operations of pairing and sessions. */
function addAuthRoutes(app: App, owner: RouteOwner, auth: AuthHost): void {
  const paired = [
    ...createSessionRoutes(auth),
    createModeRoute(auth),
    createPairingRoute(auth),
    createTokenRoute(auth),
  ];
  for (const definition of paired) app.table.addRoute({ definition, owner });
  const definition = createPairRoute(auth);
  app.table.addRoute({ definition, owner, isPublic: true });
}
