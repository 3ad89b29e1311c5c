import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import * as z from "zod";
import { endSession, requireCaller, withSession } from "./auth-host.ts";
import type { AuthHost } from "./auth-host.ts";
import { TOKEN_CALLER_ID } from "./authenticator.ts";

/** Replaces the install token and ends what was opened with the old one. */
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

/** The operation that replaces the install token. */
export function createTokenRoute(host: AuthHost): RouteDefinition {
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
      const own = host.sessions.get(known.sessionId);
      const next = await rotateToken(host, known.sessionId);
      if (!body.sessions) return { token: next };
      for (const session of host.sessions.list())
        await endSession(host, session.id, known);
      if (!own) return { token: next };
      const fresh = await host.sessions.create(own.device, remoteAddress);
      return withSession(host, header, { token: next }, fresh.token);
    },
  });
}
