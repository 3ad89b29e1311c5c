import type { Caller } from "@gantry/plugin";
import { errors } from "@gantry/system/errors";
import type { HostPolicy, HostRole } from "./host-policy.ts";
import type { HttpRequest } from "./http-request.ts";

/** Longest request target in bytes. */
const MAX_TARGET_BYTES = 8192;
const MAX_HEADERS = 100;

/** What is malformed may have been cut in the wrong place, so nothing more is read from its connection. */
const CLOSES = { headers: { connection: "close" } };

/** The error for a request that no rule of HTTP allows. */
export const malformed = () => errors.HTTP_BAD_REQUEST({}, CLOSES);

/**
 * Whether a request carries a bearer token and no cookie. No page can send that to another origin, and a program may
 * send `Sec-Fetch-Mode` without an origin, as Node's own `fetch` does.
 */
function hasBearerOnly(request: HttpRequest): boolean {
  const values = request.all("authorization");
  return (
    values.length === 1 &&
    /^Bearer \S+$/i.test(values[0] ?? "") &&
    request.all("cookie").length === 0
  );
}

/** Finds out who calls, by cookie or install token. */
export interface Authenticator {
  /** The caller of a request, `undefined` if it is not paired. */
  authenticate(request: HttpRequest): Caller | undefined;
}

/** Access metadata of the matched route, a part of its definition. */
export interface Guarded {
  /** `public`: what the browser must have before it is paired. It holds no data. */
  access: "session" | "self" | "public";
  /** May be asked for under a name that serves webhooks only. */
  isWebhook?: boolean;
  /** An `event-stream` must not be held open by a page of another origin either. */
  returns?: unknown;
}

/**
 * The one gate. HTTP requests and WebSocket upgrades go through it before anything else looks at them, in a fixed
 * order: shape of the request, Host, Origin and fetch metadata, then who calls. It throws for the first that is wrong.
 * An unpaired client gets the same 401 for an existing path and for an unknown one.
 */
export type Gate = ReturnType<typeof createGate>;

/** Makes the gate for a policy of names. */
export function createGate(policy: HostPolicy, authenticator: Authenticator) {
  function checkShape(request: HttpRequest): void {
    const target = request.message.url ?? "";
    if (target.length > MAX_TARGET_BYTES) throw errors.HTTP_URI_TOO_LONG();
    if (request.message.rawHeaders.length > 2 * MAX_HEADERS)
      throw errors.HTTP_HEADERS_TOO_LARGE();
    // Node's parser takes a version of 0.9 or 2.0 for one that it can speak.
    if (!target.startsWith("/") || request.message.httpVersionMajor !== 1)
      throw malformed();
  }

  function checkHost(request: HttpRequest): { host: string; role: HostRole } {
    const hosts = request.all("host");
    const [host] = hosts;
    if (host === undefined || hosts.length > 1)
      throw errors.HOST_MISSING({}, CLOSES);
    const role = policy.roles.get(host.toLowerCase());
    if (!role) throw errors.HOST_REFUSED();
    return { host, role };
  }

  /** Pages of other origins can send requests with our cookie; what the browser says of them decides. */
  function checkSite(
    request: HttpRequest,
    host: string,
    kind: "request" | "upgrade",
    guarded: Guarded | undefined,
  ): void {
    const changes = kind === "upgrade" || !request.isRead;
    // A webhook carries its own credential and no cookie counts there, so its Origin does not matter.
    const streams = guarded?.returns === "event-stream";
    if ((changes || streams) && guarded?.access !== "self") {
      const [origin, ...others] = request.all("origin");
      const isRefused =
        origin === undefined
          ? (changes && request.fromBrowser && !hasBearerOnly(request)) ||
            (kind === "upgrade" && request.all("cookie").length > 0)
          : others.length > 0 || !policy.isOwnOrigin(origin, host);
      if (isRefused) throw errors.ORIGIN_REFUSED();
    }
    const site = request.header("sec-fetch-site");
    if (site === undefined || site === "same-origin") return;
    // A link on another site may lead to our page; it holds no data, and its own requests are same-origin.
    if (site === "none" || (guarded?.access === "public" && !changes)) return;
    throw errors.SITE_REFUSED();
  }

  return {
    /**
     * Lets a request through, or throws. `guarded` is `undefined` for an unknown path, which only a paired caller learns of.
     *
     * @returns the caller; `undefined` where no session is required
     */
    pass(
      request: HttpRequest,
      kind: "request" | "upgrade",
      guarded: Guarded | undefined,
    ): Caller | undefined {
      checkShape(request);
      const { host, role } = checkHost(request);
      if (role === "hook" && !guarded?.isWebhook) throw errors.HOST_REFUSED();
      checkSite(request, host, kind, guarded);
      if (guarded && guarded.access !== "session") return undefined;
      const caller = authenticator.authenticate(request);
      if (!caller) throw errors.AUTH_NOT_PAIRED();
      return caller;
    },
  };
}
