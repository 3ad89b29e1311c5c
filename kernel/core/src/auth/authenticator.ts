import { hash } from "node:crypto";
import type { Socket } from "node:net";
import type { Caller } from "@gantry/plugin";
import type { HostPolicy } from "@gantry/http/host-policy";
import type { HttpRequest } from "@gantry/http/http-request";
import type { InstallToken } from "@gantry/system/home/install-token";
import type { AuthMode } from "./mode.ts";
import { isLoopbackAddress } from "@gantry/http/peer-address";
import type { Sessions } from "./sessions.ts";

/** Name of the session cookie; the spec fixes it. */
export const COOKIE_NAME = "gantry_session";
/** 32 bytes in base64url. */
const SESSION_TOKEN = /^[\w-]{43}$/;

/** Id under which everything opened with the install token goes. */
export const TOKEN_CALLER_ID = "ses_token";
/** Id under which this machine's own requests go in mode `loopback`. */
export const LOOPBACK_CALLER_ID = "ses_loopback";

/** Headers by which proxies tell that they passed a request on. */
const FORWARDING =
  /^(x-)?forwarded|^(via|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip)$/;

const LOOPBACK_CALLER: Caller = {
  sessionId: LOOPBACK_CALLER_ID,
  kind: "browser",
};

/** Tells callers apart: a session cookie, the install token, or, in mode `loopback`, this machine itself. */
export function createAuthenticator(host: {
  sessions: Sessions;
  token: InstallToken;
  mode: AuthMode;
  policy: HostPolicy;
}) {
  const { sessions, token, mode, policy } = host;
  /** Callers by install token, with the number of the token that they came with. */
  const tokenCallers = new WeakMap<Caller, number>();
  /** What a connection sent last, and the hash of the token in it. */
  const lastCookies = new WeakMap<
    Socket,
    { cookies: string; tokenHash: string | undefined }
  >();

  function byToken(request: HttpRequest): Caller | undefined {
    const values = request.all("authorization");
    const match =
      values.length === 1
        ? /^Bearer (\S{1,128})$/i.exec(values[0] ?? "")
        : null;
    if (!match?.[1] || !token.matches(match[1])) return undefined;
    const caller: Caller = { sessionId: TOKEN_CALLER_ID, kind: "token" };
    tokenCallers.set(caller, token.rotations());
    return caller;
  }

  /** A first-party request from this machine, under a loopback name, that no proxy passed on. */
  function byLoopback(request: HttpRequest): Caller | undefined {
    if (
      mode.current() !== "loopback" ||
      !isLoopbackAddress(request.remoteAddress)
    )
      return undefined;
    if (!policy.isLoopback(request.all("host")[0] ?? "")) return undefined;
    const site = request.header("sec-fetch-site");
    if (site !== undefined && site !== "same-origin" && site !== "none")
      return undefined;
    const names = Object.keys(request.message.headers);
    return names.some((name) => FORWARDING.test(name))
      ? undefined
      : LOOPBACK_CALLER;
  }

  /**
   * The hash of the session token that a request carries. A browser sends the same cookies with each request of a
   * connection, and to take them apart and hash them would cost as much as all other checks.
   */
  function tokenHashOf(request: HttpRequest): string | undefined {
    const headers = request.all("cookie");
    const [cookies] = headers;
    if (cookies === undefined) return undefined;
    const { socket } = request.message;
    const last = lastCookies.get(socket);
    if (last?.cookies === cookies && headers.length === 1)
      return last.tokenHash;
    const token = readSessionCookie(headers);
    const tokenHash =
      token === undefined ? undefined : hash("sha256", token, "base64url");
    if (headers.length === 1) lastCookies.set(socket, { cookies, tokenHash });
    return tokenHash;
  }

  return {
    /** Whether a caller that was let in once still would be: its session lives, its token was not replaced. */
    isCurrent(caller: Caller): boolean {
      if (caller === LOOPBACK_CALLER) return mode.current() === "loopback";
      if (caller.kind === "token")
        return tokenCallers.get(caller) === token.rotations();
      return sessions.get(caller.sessionId) !== undefined;
    },
    authenticate(request: HttpRequest): Caller | undefined {
      const tokenHash = tokenHashOf(request);
      const session =
        tokenHash === undefined ? undefined : sessions.find(tokenHash);
      if (session) return { sessionId: session.id, kind: "browser" };
      return byToken(request) ?? byLoopback(request);
    },
  };
}

/**
 * The session token in the Cookie headers of a request. Two cookies of our name are none: another server under the
 * same name could have set one of them.
 */
function readSessionCookie(headers: readonly string[]): string | undefined {
  let found: string | undefined;
  for (const header of headers) {
    for (const pair of header.split(";")) {
      const separator = pair.indexOf("=");
      if (separator < 0 || pair.slice(0, separator).trim() !== COOKIE_NAME)
        continue;
      if (found !== undefined) return undefined;
      found = pair.slice(separator + 1).trim();
    }
  }
  return found !== undefined && SESSION_TOKEN.test(found) ? found : undefined;
}
