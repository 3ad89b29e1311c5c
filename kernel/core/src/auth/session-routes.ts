import { defineRoute, isIdentifier, paginate } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import { okAnswer, pageOf, pageQuery } from "@gantry/plugin/zod";
import * as z from "zod";
import { errors } from "@gantry/system/errors";
import { endSession, requireCaller, withSession } from "./auth-host.ts";
import type { AuthHost } from "./auth-host.ts";
import { LOOPBACK_CALLER_ID, TOKEN_CALLER_ID } from "./authenticator.ts";
import { authMode } from "./mode-route.ts";
import { SessionView, toView, viewOfCaller } from "./session-view.ts";

/** The operations on sessions. */
export function createSessionRoutes(host: AuthHost): RouteDefinition[] {
  return [whoCalls(host), listSessions(host), revoke(host), logOut(host)];
}

function whoCalls(host: AuthHost): RouteDefinition {
  return defineRoute({
    method: "GET",
    path: "/api/auth/session",
    summary: "Who is calling",
    access: "session",
    returns: z.object({
      mode: authMode,
      kind: z.enum(["browser", "token"]),
      session: SessionView,
    }),
    handle({ caller }) {
      const known = requireCaller(caller);
      return {
        mode: host.mode.current(),
        kind: known.kind,
        session: viewOfCaller(host, known),
      };
    },
  });
}

function listSessions({ sessions, connections }: AuthHost): RouteDefinition {
  return defineRoute({
    method: "GET",
    path: "/api/auth/sessions",
    summary: "Paired devices",
    access: "session",
    query: pageQuery,
    returns: pageOf(SessionView),
    handle: ({ caller, query }) => {
      const page = paginate(
        sessions.list(),
        query,
        ({ createdAt, id }) => createdAt + id,
      );
      const known = requireCaller(caller);
      const online = connections.onlineSessions();
      return {
        ...page,
        items: page.items.map((session) => toView(session, known, online)),
      };
    },
  });
}

function revoke(host: AuthHost): RouteDefinition {
  return defineRoute({
    method: "DELETE",
    path: "/api/auth/sessions/{id}",
    summary: "Revoke a session",
    description:
      "Within a second its event streams end and its sockets close with 4401.",
    access: "session",
    returns: okAnswer,
    errors: ["SESSION_NOT_FOUND"],
    async handle({ params, caller, header }) {
      const id = params.id ?? "";
      if (!isIdentifier("ses", id)) throw errors.SESSION_NOT_FOUND();
      const known = requireCaller(caller);
      await endSession(host, id, known);
      const answer = { ok: true as const };
      return id === known.sessionId
        ? withSession(host, header, answer)
        : answer;
    },
  });
}

function logOut(host: AuthHost): RouteDefinition {
  return defineRoute({
    method: "POST",
    path: "/api/auth/logout",
    summary: "End the caller's own session",
    access: "session",
    returns: okAnswer,
    async handle({ caller, header }) {
      const known = requireCaller(caller);
      const { sessionId } = known;
      // The install token and this machine have no session of their own to end.
      if (sessionId !== TOKEN_CALLER_ID && sessionId !== LOOPBACK_CALLER_ID)
        await endSession(host, sessionId, known);
      return withSession(host, header, { ok: true as const });
    },
  });
}
