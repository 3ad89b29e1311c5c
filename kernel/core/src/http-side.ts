import { createAuthenticator } from "./auth/authenticator.ts";
import { openInstallToken } from "@gantry/system/home/install-token";
import { createModeRoute } from "./auth/mode-route.ts";
import { openAuthMode } from "./auth/mode.ts";
import { createPairing } from "./auth/pairing.ts";
import { createPairingRoute, createPairRoute } from "./auth/pairing-routes.ts";
import { createSessionRoutes } from "./auth/session-routes.ts";
import { openSessions } from "./auth/sessions.ts";
import { createTokenRoute } from "./auth/token-route.ts";
import { noteRefusal } from "./audit/note-refusal.ts";
import type { Foundation } from "./foundation.ts";
import { createApp } from "@gantry/http/app";
import { createConnections } from "@gantry/http/connections";
import { createGate } from "@gantry/http/gate";
import { createHostPolicy } from "@gantry/http/host-policy";
import type { HostPolicy } from "@gantry/http/host-policy";
import { openPorts } from "@gantry/http/open-ports";
import { createPeers } from "@gantry/http/peer-address";
import type { RouteOwner } from "@gantry/http/route-table";
import { createSocketServer } from "@gantry/http/sockets";
import { createScopedStore } from "@gantry/store/scoped-store";
import type { KernelParts } from "./kernel-shutdown.ts";
import { createSystemRoute } from "./system-route.ts";

/** The HTTP side of a kernel: who may come in, and what answers. */
export type HttpSide = Awaited<ReturnType<typeof openHttp>>["http"];

/** Opens the ports, which hold requests back until there is something to answer them, and puts gate, app and sockets together. */
export async function openHttp(
  { options, foundation, shutdown }: KernelParts,
  unavailableAt: (path: string) => Error | undefined,
) {
  const { audit, clock, config, home, idempotency, logOf } = foundation;
  const log = logOf("kernel");
  const peers = createPeers(config.trustedProxies);
  const ports =
    options.ports ?? (await openPorts(config, home, peers.isProxy, log));
  shutdown.add(() => (shutdown.isHandedOver ? undefined : ports.close()));
  const { publicUrl, hosts, hookHosts } = config;
  const policy = createHostPolicy({
    ...{ publicUrl, hosts, hookHosts },
    port: ports.port,
    address: ports.addresses[0] ?? config.host,
    secure: ports.certificate !== undefined,
  });
  const { authenticator, ...auth } = await openAuth(foundation, policy);
  const { connections } = auth;
  const sockets = createSocketServer({ connections, clock, log });
  const app = createApp({
    gate: createGate(policy, authenticator),
    onRefusal: (request, code) => noteRefusal(audit, request, code),
    inspect: options.inspect,
    ...{ authenticator, sockets, peers, clock, connections },
    ...{ idempotency, logOf, log, unavailableAt },
  });
  const owner: RouteOwner = {
    plugin: "kernel",
    signal: new AbortController().signal,
    inFlight: new Set(),
    isSystem: true,
  };
  const { version } = options;
  const host = { ...auth, policy, audit };
  for (const definition of [
    ...createSessionRoutes(host),
    createModeRoute(host),
    createPairingRoute(host),
    createTokenRoute(host),
    createSystemRoute({ version, home: home.folder, policy, clock }),
  ])
    app.table.addRoute({ definition, owner });
  app.table.addRoute({
    definition: createPairRoute(host),
    owner,
    isPublic: true,
  });
  return { ports, http: { app, sockets, policy, ...auth } };
}

/** Opens what says who may come in. */
async function openAuth(
  { audit, core, clock, home, logOf, quarantine, redact }: Foundation,
  policy: HostPolicy,
) {
  const log = logOf("kernel");
  const store = createScopedStore("auth", { core, quarantine, clock, log });
  const connections = createConnections((caller) =>
    authenticator.isCurrent(caller),
  );
  const pairing = createPairing(clock);
  redact.watch(pairing.isOpen);
  const sessions = await openSessions(store, clock, {
    // Before the client gets it.
    onCreated: ({ id, device, address }) =>
      audit.record("session.made", { session: id, device, address }),
    onEnded(id) {
      pairing.endIssuer(id);
      connections.endSession(id);
      void audit.record("session.ended", { session: id });
    },
  });
  const token = await openInstallToken(home, log);
  const mode = await openAuthMode(store);
  const authenticator = createAuthenticator({ sessions, token, mode, policy });
  return { connections, pairing, sessions, token, mode, authenticator };
}
