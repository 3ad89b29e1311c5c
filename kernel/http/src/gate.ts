import type { Caller } from "@gantry/plugin";
import { errors } from "./errors.ts";
import type { HostPolicy, HostRole } from "./host-policy.ts";
import type { Head } from "./request-head.ts";

/** Longest request target in bytes. */
const MAX_TARGET_BYTES = 8192;
const MAX_HEADERS = 100;

/** After a malformed request its end is uncertain, so nothing more is read from the connection. */
const CLOSES = { headers: { connection: "close" } };

/** The error for a request that violates HTTP. */
export const malformed = () => errors.HTTP_BAD_REQUEST({}, CLOSES);

/**
 * Whether a request carries a bearer token and no cookie. No page can send that to another origin, and a program may
 * send `Sec-Fetch-Mode` without an origin, as Node's own `fetch` does.
 */
function hasBearerOnly(head: Head): boolean {
  const values = head.all("authorization");
  return (
    values.length === 1 &&
    /^Bearer \S+$/i.test(values[0] ?? "") &&
    head.all("cookie").length === 0
  );
}

/** Authenticates callers by cookie or install token. */
export interface Authenticator {
  /** The caller of a request, `undefined` if it is not paired. */
  authenticate(head: Head): Caller | undefined;
}

/** Access metadata of the matched route. */
export interface Guarded {
  /** `public`: pages and scripts without any data, which the browser must have before it is paired. */
  access: "session" | "self" | "public";
  /** Whether it is also served under a name that serves webhooks only. */
  servesHooks: boolean;
  /** Whether it answers with an event stream, which a page of another origin must not hold open either. */
  streams?: boolean;
}

/**
 * The one gate. HTTP requests and WebSocket upgrades go through it before anything else looks at them, in a fixed
 * order: shape of the request, Host, Origin and fetch metadata, then who calls. It throws for the first that is wrong.
 * An unpaired client gets the same 401 for an existing path and for an unknown one.
 */
export interface Gate {
  /**
   * Accepts a request or throws. `guarded` is `undefined` for an unknown path, which only a paired caller learns.
   *
   * @returns the caller; `undefined` where no session is required
   */
  pass(
    head: Head,
    kind: "request" | "upgrade",
    guarded: Guarded | undefined,
  ): Caller | undefined;
}

/** Creates the gate for a policy of names. */
export function createGate(
  policy: HostPolicy,
  authenticator: Authenticator,
): Gate {
  function checkShape(head: Head): void {
    const target = head.message.url ?? "";
    if (target.length > MAX_TARGET_BYTES) throw errors.HTTP_URI_TOO_LONG();
    if (head.message.rawHeaders.length > 2 * MAX_HEADERS)
      throw errors.HTTP_HEADERS_TOO_LARGE();
    // Node's parser accepts versions 0.9 and 2.0, which the daemon does not support.
    if (!target.startsWith("/") || head.message.httpVersionMajor !== 1)
      throw malformed();
  }

  function checkHost(head: Head): { host: string; role: HostRole } {
    const hosts = head.all("host");
    const [host] = hosts;
    if (host === undefined || hosts.length > 1)
      throw errors.HOST_MISSING({}, CLOSES);
    const role = policy.roleOf(host);
    if (!role) throw errors.HOST_REFUSED();
    return { host, role };
  }

  /** Refuses requests of pages from other origins, which carry our cookie, by the headers that the browser sets. */
  function checkSite(
    head: Head,
    host: string,
    kind: "request" | "upgrade",
    guarded: Guarded | undefined,
  ): void {
    const changes = kind === "upgrade" || !head.isRead;
    // A webhook carries its own credential and no cookie counts there, so its Origin does not matter.
    if ((changes || guarded?.streams) && guarded?.access !== "self") {
      const origins = head.all("origin");
      if (origins.length > 1) throw errors.ORIGIN_REFUSED();
      const [origin] = origins;
      if (origin !== undefined && !policy.isOwnOrigin(origin, host))
        throw errors.ORIGIN_REFUSED();
      if (
        changes &&
        origin === undefined &&
        head.fromBrowser &&
        !hasBearerOnly(head)
      )
        throw errors.ORIGIN_REFUSED();
      if (
        kind === "upgrade" &&
        origin === undefined &&
        head.all("cookie").length > 0
      )
        throw errors.ORIGIN_REFUSED();
    }
    const site = head.header("sec-fetch-site");
    if (site === undefined || site === "same-origin") return;
    // Another site may link to our page: the page holds no data, and its own requests are same-origin.
    if (site === "none" || (guarded?.access === "public" && !changes)) return;
    throw errors.SITE_REFUSED();
  }

  return {
    pass(head, kind, guarded) {
      checkShape(head);
      const { host, role } = checkHost(head);
      if (role === "hook" && !guarded?.servesHooks) throw errors.HOST_REFUSED();
      checkSite(head, host, kind, guarded);
      if (guarded && guarded.access !== "session") return undefined;
      const caller = authenticator.authenticate(head);
      if (!caller) throw errors.AUTH_NOT_PAIRED();
      return caller;
    },
  };
}
