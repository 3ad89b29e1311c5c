import { withHeaders } from "@gantry/plugin";
import type { Caller, RouteRequest } from "@gantry/plugin";
import type { Audit } from "@gantry/system/audit/audit";
import { errors } from "@gantry/system/errors";
import type { Connections } from "@gantry/http/connections";
import type { HostPolicy } from "@gantry/http/host-policy";
import type { InstallToken } from "@gantry/system/home/install-token";
import type { AuthMode } from "./mode.ts";
import type { Pairing } from "./pairing.ts";
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

/** Whether the answer travels encrypted, so that its cookie may be for HTTPS only. */
export function isEncrypted(
  { policy }: AuthHost,
  header: RouteRequest["header"],
): boolean {
  return policy.isEncrypted(header("host") ?? "");
}

/** An answer that also sets the session's cookie. */
export function withCookie<Answer extends object>(
  answer: Answer,
  cookie: string,
): Answer {
  return withHeaders(answer, { "set-cookie": cookie });
}

/** On a route with access `session` the gate has made sure that there is one. */
export function requireCaller(caller: Caller | undefined): Caller {
  if (!caller) throw errors.AUTH_NOT_PAIRED();
  return caller;
}
