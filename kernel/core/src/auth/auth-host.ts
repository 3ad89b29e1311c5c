import { withHeaders } from "@gantry/plugin";
import type { Caller, RouteRequest } from "@gantry/plugin";
import type { Audit } from "@gantry/system/audit/audit";
import { errors } from "@gantry/system/errors";
import type { Connections } from "@gantry/http/connections";
import type { HostPolicy } from "@gantry/http/host-policy";
import type { InstallToken } from "@gantry/system/home/install-token";
import { COOKIE_NAME } from "./authenticator.ts";
import type { AuthMode } from "./mode.ts";
import type { Pairing } from "./pairing.ts";
import { MAX_SESSION_MS } from "./sessions.ts";
import type { Sessions } from "./sessions.ts";

/** Dependencies of the operations of auth. */
export interface AuthHost {
  sessions: Sessions;
  pairing: Pairing;
  token: InstallToken;
  mode: AuthMode;
  policy: HostPolicy;
  connections: Connections;
  audit: Audit;
}

/** Ends a session, and the codes that it made. @throws SESSION_NOT_FOUND */
export async function endSession(
  { sessions, pairing, audit }: AuthHost,
  id: string,
  by: Caller,
): Promise<void> {
  pairing.endIssuer(id);
  if (!(await sessions.end(id))) throw errors.SESSION_NOT_FOUND();
  await audit.record("session.revoked", { session: id, by: by.sessionId });
}

/** An answer that also hands a browser the token of its session, or takes it away; by HTTPS only if it travels by that. */
export function withSession<Answer extends object>(
  { policy }: AuthHost,
  header: RouteRequest["header"],
  answer: Answer,
  token?: string,
): Answer {
  const age = token === undefined ? 0 : Math.floor(MAX_SESSION_MS / 1000);
  const secure = policy.isEncrypted(header("host") ?? "") ? "; Secure" : "";
  return withHeaders(answer, {
    "set-cookie": `${COOKIE_NAME}=${token ?? ""}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${age}${secure}`,
  });
}

/** On a route with access `session` the gate has made sure that there is one. */
export function requireCaller(caller: Caller | undefined): Caller {
  if (!caller) throw errors.AUTH_NOT_PAIRED();
  return caller;
}
