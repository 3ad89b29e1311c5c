import {
  defineRoute,
  isIdentifier,
  paginate,
  withHeaders,
} from "@gantry/plugin";
import type { Caller, RouteDefinition, RouteRequest } from "@gantry/plugin";
import { okAnswer, pageOf, pageQuery, timestamp } from "@gantry/plugin/zod";
import { renderSVG } from "uqr";
import * as z from "zod";
import type { Audit } from "../audit/audit.ts";
import { errors } from "../errors.ts";
import type { Connections } from "../http/connections.ts";
import type { HostPolicy } from "../http/host-policy.ts";
import { LOOPBACK_CALLER_ID, TOKEN_CALLER_ID } from "./authenticator.ts";
import { renderClearedCookie, renderSessionCookie } from "./cookie.ts";
import type { InstallToken } from "./install-token.ts";
import type { AuthMode } from "./mode.ts";
import type { NewCode, Pairing } from "./pairing.ts";
import type { Session, Sessions } from "./sessions.ts";

/** What the auth operations stand on. */
export interface AuthHost {
  sessions: Sessions;
  pairing: Pairing;
  token: InstallToken;
  mode: AuthMode;
  policy: HostPolicy;
  connections: Connections;
  audit: Audit;
}

const SessionView = z
  .object({
    id: z.string(),
    kind: z.enum(["browser", "token"]),
    device: z.string(),
    address: z.string(),
    createdAt: timestamp.nullable(),
    lastSeenAt: timestamp.nullable(),
    expiresAt: timestamp.nullable(),
    current: z.boolean(),
    online: z.boolean(),
  })
  .meta({ id: "Session" });
type SessionView = z.infer<typeof SessionView>;

const mode = z.enum(["all", "loopback"]);

/** Link of a pairing code; the secret stands in the fragment, which no server and no log ever sees. */
export function pairingUrl(policy: HostPolicy, code: NewCode): string {
  return `${policy.publicOrigin}/pair#code=${code.linkSecret}`;
}

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

/** The seven operations of the spec. */
export function createAuthRoutes(host: AuthHost): RouteDefinition[] {
  const { sessions, pairing, connections, audit } = host;

  const view = (session: Session, caller: Caller) =>
    toView(session, caller, connections.onlineSessions());

  /** The install token and this machine itself are no stored sessions, yet a caller may ask what it is. */
  const viewOfCaller = (caller: Caller): SessionView => {
    const session = sessions.get(caller.sessionId);
    if (session) return view(session, caller);
    const device =
      caller.sessionId === TOKEN_CALLER_ID ? "Install token" : "This machine";
    const online = connections.onlineSessions().has(caller.sessionId);
    const never = { createdAt: null, lastSeenAt: null, expiresAt: null };
    return {
      id: caller.sessionId,
      kind: caller.kind,
      device,
      address: "",
      ...never,
      current: true,
      online,
    };
  };

  async function endSession(id: string, by: Caller): Promise<void> {
    pairing.endIssuer(id);
    if (!(await sessions.end(id))) throw errors.SESSION_NOT_FOUND();
    await audit.record("session.revoked", { session: id, by: by.sessionId });
  }

  return [
    defineRoute({
      method: "GET",
      path: "/api/auth/session",
      summary: "Who is calling",
      access: "session",
      returns: z.object({
        mode,
        kind: z.enum(["browser", "token"]),
        session: SessionView,
      }),
      handle({ caller }) {
        const known = requireCaller(caller);
        return {
          mode: host.mode.current(),
          kind: known.kind,
          session: viewOfCaller(known),
        };
      },
    }),
    defineRoute({
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
        return {
          ...page,
          items: page.items.map((session) => view(session, known)),
        };
      },
    }),
    defineRoute({
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
        await endSession(id, known);
        const answer = { ok: true as const };
        return id === known.sessionId
          ? withCookie(answer, renderClearedCookie(isEncrypted(host, header)))
          : answer;
      },
    }),
    defineRoute({
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
          await endSession(sessionId, known);
        return withCookie(
          { ok: true as const },
          renderClearedCookie(isEncrypted(host, header)),
        );
      },
    }),
    defineRoute({
      method: "PUT",
      path: "/api/auth/mode",
      summary: "Choose who must pair",
      description: "`all`: everyone. `loopback`: this machine itself need not.",
      access: "session",
      body: z.strictObject({ mode }),
      returns: z.object({ mode }),
      async handle({ body, caller }) {
        const from = host.mode.current();
        await host.mode.set(body.mode);
        if (body.mode === "all") connections.endSession(LOOPBACK_CALLER_ID);
        const by = requireCaller(caller).sessionId;
        await audit.record("mode.changed", { from, to: body.mode, by });
        return { mode: body.mode };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/api/auth/pairings",
      summary: "Make a code that pairs another device",
      access: "session",
      returns: z.object({
        id: z.string(),
        code: z.string(),
        url: z.string(),
        qrSvg: z.string(),
        expiresAt: timestamp,
      }),
      async handle({ caller }) {
        const by = requireCaller(caller).sessionId;
        const code = pairing.create(by);
        await audit.record("pairing.minted", { code: code.id, by });
        const url = pairingUrl(host.policy, code);
        return {
          id: code.id,
          code: code.code,
          url,
          qrSvg: renderSVG(url),
          expiresAt: code.expiresAt,
        };
      },
    }),
    defineRoute({
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
        for (const session of sessions.list())
          await endSession(session.id, known);
        if (!own) return { token: next };
        const fresh = await sessions.create(own.device, remoteAddress);
        return withCookie(
          { token: next },
          renderSessionCookie(fresh.token, isEncrypted(host, header)),
        );
      },
    }),
  ];
}

/** The operation that a browser pairs with. It is public: the code is the credential. */
export function createPairRoute(host: AuthHost): RouteDefinition {
  return defineRoute({
    method: "POST",
    path: "/pair",
    summary: "Pair this browser with a code",
    access: "self",
    authorize: () => {},
    body: z.strictObject({
      code: z.string().max(256),
      device: z.string().trim().min(1).max(100),
    }),
    returns: z.object({ ok: z.literal(true), session: SessionView }),
    errors: ["PAIRING_REFUSED", "PAIRING_TOO_MANY"],
    async handle({ body, remoteAddress, header }) {
      const { device } = body;
      try {
        host.pairing.redeem(body.code, remoteAddress);
      } catch (error) {
        const { code } = error as { code?: string };
        host.audit.note("pairing.failed", { address: remoteAddress, code });
        throw error;
      }
      const { session, token } = await host.sessions.create(
        device,
        remoteAddress,
      );
      await host.audit.record("pairing.used", { session: session.id, device });
      const answer = {
        ok: true as const,
        session: toView(
          session,
          { sessionId: session.id, kind: "browser" },
          new Set(),
        ),
      };
      return withCookie(
        answer,
        renderSessionCookie(token, isEncrypted(host, header)),
      );
    },
  });
}

/** Whether the answer travels encrypted, so that its cookie may be for HTTPS only. */
function isEncrypted(
  { policy }: AuthHost,
  header: RouteRequest["header"],
): boolean {
  return policy.isEncrypted(header("host") ?? "");
}

function toView(
  session: Session,
  caller: Caller,
  online: ReadonlySet<string>,
): SessionView {
  const { id, device, address, createdAt, lastSeenAt, expiresAt } = session;
  const current = id === caller.sessionId;
  return {
    id,
    kind: "browser",
    device,
    address,
    createdAt,
    lastSeenAt,
    expiresAt,
    current,
    online: online.has(id),
  };
}

function withCookie<Answer extends object>(
  answer: Answer,
  cookie: string,
): Answer {
  return withHeaders(answer, { "set-cookie": cookie });
}

/** On a route with access `session` the gate has made sure that there is one. */
function requireCaller(caller: Caller | undefined): Caller {
  if (!caller) throw errors.AUTH_NOT_PAIRED();
  return caller;
}
