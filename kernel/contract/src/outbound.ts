/** Options of `ctx.fetch`: those of the global `fetch`, and limits. */
export interface OutboundRequest extends Omit<RequestInit, "redirect"> {
  /** Deadline in ms for the whole exchange, body and redirects included; 1 to 300,000, defaults to 10,000. */
  timeoutMs?: number;
  /** Maximum size of the answer's body in bytes; at most 16 MiB, defaults to 64 KiB. */
  maxBytes?: number;
  /** What happens to a larger body: `error` rejects with `OUTBOUND_TOO_LARGE`, `truncate` drops the rest. Defaults to `error`. */
  overflow?: "error" | "truncate";
  /**
   * Number of redirects to follow, at most 10; each target is checked like the first. Defaults to 0, which returns a redirect
   * as the answer.
   */
  maxRedirects?: number;
}

/**
 * Sends a request to another machine, over http or https, and resolves once the whole answer has been read. Addresses of the
 * daemon itself and of cloud metadata are refused, under every name that leads there.
 *
 * A redirect is followed as a browser does it: 303 becomes GET, as does POST with 301 or 302. To another origin
 * `authorization`, `cookie` and `proxy-authorization` are not sent. A body that is a stream cannot be sent again: the redirect is then
 * the answer.
 *
 * @throws
 * - `OUTBOUND_REFUSED` (400) for a target that is not allowed, also after a redirect
 * - `OUTBOUND_TIMEOUT` (504) when `timeoutMs` is over
 * - `OUTBOUND_TOO_LARGE` (502) for a body over `maxBytes`
 * - `OUTBOUND_REDIRECTS` (502) for more than `maxRedirects` redirects, unless that is 0
 * - TypeError for a limit out of range; the signal's reason; the network error of the platform's `fetch`
 */
export type OutboundFetch = (
  url: string,
  init?: OutboundRequest,
) => Promise<Response>;
