import { withHeaders } from "@gantry/plugin";
import type { Caller, RouteRequest } from "@gantry/plugin";
import type { Audit } from "@gantry/audit/audit";
import type { Connections } from "@gantry/http/connections";
import type { HostPolicy } from "@gantry/http/host-policy";
import {
  renderClearedCookie,
  renderSessionCookie,
} from "@gantry/http/session-cookie";
import { errors } from "../errors.ts";
import type { InstallToken } from "@gantry/system/home/install-token";
import type { AuthMode } from "./mode.ts";
import type { Pairing } from "./pairing.ts";
import { MAX_SESSION_MS } from "./sessions.ts";
import type { Sessions } from "./sessions.ts";

/** Dependencies of the auth operations. */
export interface AuthHost {
  sessions: Sessions;
  pairing: Pairing;
  token: InstallToken;
  mode: AuthMode;
  policy: HostPolicy;
  connections: Connections;
  audit: Audit;
}

/** Returns the caller, which a route with access `session` always has. */
export function requireCaller(caller: Caller | undefined): Caller {
  if (!caller) throw errors.AUTH_NOT_PAIRED();
  return caller;
}

/** Ends a session and the pairing codes that it made. @throws `SESSION_NOT_FOUND` */
export async function endSession(
  { sessions, pairing, audit }: AuthHost,
  id: string,
  by: Caller,
): Promise<void> {
  pairing.endIssuer(id);
  if (!(await sessions.end(id))) throw errors.SESSION_NOT_FOUND();
  await audit.record("session.revoked", { session: id, by: by.sessionId });
}

/** Adds the header that sets the session cookie to an answer, or without a token the header that removes the cookie. */
export function withSessionCookie<Answer extends object>(
  answer: Answer,
  { policy }: AuthHost,
  header: RouteRequest["header"],
  token?: string,
): Answer {
  const isEncrypted = policy.isEncrypted(header("host") ?? "");
  const cookie =
    token === undefined
      ? renderClearedCookie(isEncrypted)
      : renderSessionCookie(token, MAX_SESSION_MS, isEncrypted);
  return withHeaders(answer, { "set-cookie": cookie });
}
