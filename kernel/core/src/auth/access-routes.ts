import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import * as z from "zod";
import { endSession, requireCaller, withSessionCookie } from "./auth-host.ts";
import type { AuthHost } from "./auth-host.ts";
import { LOOPBACK_CALLER_ID, TOKEN_CALLER_ID } from "./authenticator.ts";
import { Mode } from "./mode.ts";

/** Replaces the install token and ends the connections that were opened with the old one. Returns the new token. */
export async function rotateToken(
  {
    token,
    connections,
    audit,
  }: Pick<AuthHost, "token" | "connections" | "audit">,
  by: string,
): Promise<string> {
  const next = await token.rotate();
  connections.endSession(TOKEN_CALLER_ID);
  await audit.record("token.rotated", { by });
  return next;
}

/** Creates the operation that sets who must pair. */
export function createModeRoute(host: AuthHost): RouteDefinition {
  const { mode, connections, audit } = host;
  return defineRoute({
    method: "PUT",
    path: "/api/auth/mode",
    summary: "Choose who must pair",
    description: "`all`: everyone. `loopback`: this machine itself need not.",
    access: "session",
    body: z.strictObject({ mode: Mode }),
    returns: z.object({ mode: Mode }),
    async handle({ body, caller }) {
      const from = mode.current();
      await mode.set(body.mode);
      if (body.mode === "all") connections.endSession(LOOPBACK_CALLER_ID);
      const by = requireCaller(caller).sessionId;
      await audit.record("mode.changed", { from, to: body.mode, by });
      return { mode: body.mode };
    },
  });
}

/** Creates the operation that replaces the install token. */
export function createTokenRoute(host: AuthHost): RouteDefinition {
  const { sessions } = host;
  return defineRoute({
    method: "POST",
    path: "/api/auth/token/rotate",
    summary: "Replace the install token",
    description:
      "Ends what was opened with the old one. With `sessions` it also ends every session; a browser that calls gets a new cookie.",
    access: "session",
    body: z.strictObject({ sessions: z.boolean().default(false) }),
    returns: z.object({ token: z.string() }),
    async handle({ body, caller, remoteAddress, header }) {
      const known = requireCaller(caller);
      const own = sessions.get(known.sessionId);
      const next = await rotateToken(host, known.sessionId);
      if (!body.sessions) return { token: next };
      for (const { id } of sessions.list()) await endSession(host, id, known);
      if (!own) return { token: next };
      const fresh = await sessions.create(own.device, remoteAddress);
      return withSessionCookie({ token: next }, host, header, fresh.token);
    },
  });
}
