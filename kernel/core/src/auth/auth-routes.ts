import type { RouteDefinition } from "@gantry/plugin";
import type { AuthHost } from "./auth-host.ts";
import { createModeRoute } from "./mode-route.ts";
import { createPairingRoute } from "./pairing-routes.ts";
import { createSessionRoutes } from "./session-routes.ts";
import { createTokenRoute } from "./token-route.ts";

/** The seven operations of the spec. */
export function createAuthRoutes(host: AuthHost): RouteDefinition[] {
  return [
    ...createSessionRoutes(host),
    createModeRoute(host),
    createPairingRoute(host),
    createTokenRoute(host),
  ];
}
