import type { H3Event } from "h3";
import type { Caller, Method } from "./route.ts";

/** What a handler of h3 gets of the daemon, beside the event. */
export interface HandlerRequest {
  /** Who calls. At a public address `undefined` unless the client is paired. */
  readonly caller: Caller | undefined;
}

/**
 * A plain handler of h3, for what an operation cannot be and a library of h3 does: a proxy, a folder of files, a stream. It
 * stands behind the gate as an operation does. What comes after that is its own: it is in no reference, its input is not
 * checked, and its answers have the form that it gives them.
 *
 * Its answers are not cached and a browser gives a page among them no origin (`content-security-policy: sandbox`), unless the
 * handler sets these headers itself; a system plugin sets all of its own. An `HTTPError` of h3 is answered as h3 does; anything else that it throws as for an
 * operation. When the plugin stops or the caller's session ends, what it still sends is cut off.
 */
export interface HandlerDefinition {
  /**
   * Full path with parameters in braces, under one of the plugin's mounts; with all below it if it ends in `/**`. Operations and
   * sockets below it come first.
   */
  path: string;
  /** One sentence for people. */
  summary: string;
  /** Only for paired callers. `public`, for any client, is only for system plugins, which are a part of the daemon. */
  access: "session" | "public";
  /** Methods that it answers, all unless said. HEAD goes with GET, and neither of them then takes a body. */
  methods?: readonly Method[];
  /** Largest body in bytes; 1 MiB unless said. */
  maxBody?: number;
  /** Gives what handlers of h3 give; `undefined` where there is nothing, which is answered as an unknown address is. */
  handle(event: H3Event, request: HandlerRequest): unknown;
}
