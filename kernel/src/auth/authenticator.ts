import type { Socket } from "node:net";
import type { Caller } from "@gantry/plugin";
import type { Authenticator } from "../http/gate.ts";
import type { HostPolicy } from "../http/host-policy.ts";
import type { Head } from "../http/request-head.ts";
import { readSessionCookie } from "./cookie.ts";
import type { InstallToken } from "./install-token.ts";
import type { AuthMode } from "./mode.ts";
import { isLoopbackAddress } from "./pairing.ts";
import { hashSecret } from "./secret.ts";
import type { Sessions } from "./sessions.ts";

/** Id under which everything opened with the install token goes. */
export const TOKEN_CALLER_ID = "ses_token";
/** Id under which this machine's own requests go in mode `loopback`. */
export const LOOPBACK_CALLER_ID = "ses_loopback";

/** Headers by which proxies tell that they passed a request on. */
const FORWARDING =
  /^(x-)?forwarded|^(via|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip)$/;

const TOKEN_CALLER: Caller = { sessionId: TOKEN_CALLER_ID, kind: "token" };
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
}): Authenticator {
  const { sessions, token, mode, policy } = host;
  const hashes = new WeakMap<Socket, { token: string; hash: string }>();

  function byToken(head: Head): Caller | undefined {
    const values = head.all("authorization");
    const match =
      values.length === 1
        ? /^Bearer (\S{1,128})$/i.exec(values[0] ?? "")
        : null;
    return match?.[1] && token.matches(match[1]) ? TOKEN_CALLER : undefined;
  }

  /** Decisions §2: a first-party request from this machine, under a loopback name, that no proxy passed on. */
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

  /** A client sends the same token with each request of a connection, and a hash costs as much as all other checks. */
  function hashOnce(socket: Socket, token: string): string {
    const last = hashes.get(socket);
    if (last?.token === token) return last.hash;
    const hash = hashSecret(token);
    hashes.set(socket, { token, hash });
    return hash;
  }

  return {
    authenticate(head) {
      const cookie = readSessionCookie(head.all("cookie"));
      const session =
        cookie === undefined
          ? undefined
          : sessions.find(hashOnce(head.message.socket, cookie));
      if (session) return { sessionId: session.id, kind: "browser" };
      return byToken(head) ?? byLoopback(head);
    },
  };
}
