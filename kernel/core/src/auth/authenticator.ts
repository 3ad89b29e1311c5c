import type { Socket } from "node:net";
import type { Caller } from "@gantry/plugin";
import type { Authenticator } from "@gantry/http/gate";
import type { HostPolicy } from "@gantry/http/host-policy";
import type { Head } from "@gantry/http/request-head";
import type { InstallToken } from "@gantry/system/home/install-token";
import type { AuthMode } from "./mode.ts";
import { isLoopbackAddress } from "@gantry/http/peer-address";
import { readSessionCookie } from "@gantry/http/session-cookie";
import { hashSecret } from "@gantry/system/secret";
import type { Sessions } from "./sessions.ts";

/** Session id of callers with the install token. */
export const TOKEN_CALLER_ID = "ses_token";
/** Session id of this machine's own requests in mode `loopback`. */
export const LOOPBACK_CALLER_ID = "ses_loopback";

/** Headers that proxies add to forwarded requests. */
const FORWARDING =
  /^(x-)?forwarded|^(via|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip)$/;

const LOOPBACK_CALLER: Caller = {
  sessionId: LOOPBACK_CALLER_ID,
  kind: "browser",
};

/** The last cookies of a connection, and the hash of the token in them. */
interface LastCookies {
  cookies: string;
  hash: string | undefined;
}

/** Authenticates callers, and checks whether one that was authenticated before still is. */
export interface PairedCallers extends Authenticator {
  /** Whether a caller is still valid: its session has not ended, its token was not replaced. */
  isCurrent(caller: Caller): boolean;
}

/** Authenticates callers by session cookie, install token or, in mode `loopback`, as this machine itself. */
export function createAuthenticator(host: {
  sessions: Sessions;
  token: InstallToken;
  mode: AuthMode;
  policy: HostPolicy;
}): PairedCallers {
  const { sessions, token, mode, policy } = host;
  /** Callers with the install token, and the number of rotations when they were authenticated. */
  const tokenCallers = new WeakMap<Caller, number>();
  const lastCookies = new WeakMap<Socket, LastCookies>();

  function byToken(head: Head): Caller | undefined {
    const values = head.all("authorization");
    const match =
      values.length === 1
        ? /^Bearer (\S{1,128})$/i.exec(values[0] ?? "")
        : null;
    if (!match?.[1] || !token.matches(match[1])) return undefined;
    const caller: Caller = { sessionId: TOKEN_CALLER_ID, kind: "token" };
    tokenCallers.set(caller, token.rotations());
    return caller;
  }

  /** Whether a request is from this machine itself: same site, under a loopback name, and not forwarded by a proxy. */
  function byLoopback(head: Head): Caller | undefined {
    if (mode.current() !== "loopback" || !isLoopbackAddress(head.remoteAddress))
      return undefined;
    if (!policy.isLoopback(head.all("host")[0] ?? "")) return undefined;
    const site = head.header("sec-fetch-site");
    if (site !== undefined && site !== "same-origin" && site !== "none")
      return undefined;
    const names = Object.keys(head.message.headers);
    return names.some((name) => FORWARDING.test(name))
      ? undefined
      : LOOPBACK_CALLER;
  }

  /**
   * The hash of the session token that a request carries. Cached for the connection, on which a browser
   * sends the same cookies each time: parsing and hashing them would cost as much as all other checks.
   */
  function tokenHashOf(head: Head): string | undefined {
    const headers = head.all("cookie");
    const [cookies] = headers;
    if (cookies === undefined) return undefined;
    const { socket } = head.message;
    const last = lastCookies.get(socket);
    if (last?.cookies === cookies && headers.length === 1) return last.hash;
    const token = readSessionCookie(headers);
    const hash = token === undefined ? undefined : hashSecret(token);
    if (headers.length === 1) lastCookies.set(socket, { cookies, hash });
    return hash;
  }

  return {
    isCurrent(caller) {
      if (caller === LOOPBACK_CALLER) return mode.current() === "loopback";
      if (caller.kind === "token")
        return tokenCallers.get(caller) === token.rotations();
      return sessions.get(caller.sessionId) !== undefined;
    },
    authenticate(head) {
      const hash = tokenHashOf(head);
      const session = hash === undefined ? undefined : sessions.find(hash);
      if (session) return { sessionId: session.id, kind: "browser" };
      return byToken(head) ?? byLoopback(head);
    },
  };
}
