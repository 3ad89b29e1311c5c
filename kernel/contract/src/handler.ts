import type { Method, RequestHead } from "./route.ts";

/**
 * A handler of [h3](https://h3.dev) 2: what `defineHandler`, `fromNodeHandler` or `defineLazyEventHandler` return, or a
 * function that takes an `H3Event`. It returns whatever h3 can send: a value, a stream, a `Response`.
 *
 * The parameter has the type `never`, so that a handler typed by any version of h3 fits and the contract depends on none.
 */
export type EventHandler = (event: never) => unknown;

/** Who may call a handler of h3, and what it accepts. */
export interface HandlerOptions {
  /** As for a route: `session` for paired callers, `self` if {@link authorize} decides. */
  access: "session" | "self";
  /** For `access: "self"`: throws the plugin's 401 unless the credential is right. Runs before the body is read. */
  authorize?(head: RequestHead): void | Promise<void>;
  /** Methods that it answers; all unless given. GET includes HEAD. Any other method is answered with 405. */
  methods?: readonly Method[];
  /** Largest body in bytes; 1 MiB unless given. */
  maxBody?: number;
}
