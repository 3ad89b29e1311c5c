/** Headers that belong to one connection (RFC 9110 §7.6.1) or to the proxy, and are not forwarded. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  "connection",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authentication-info",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * Headers as they are forwarded: flat, with order and spelling kept, without hop-by-hop headers and those that
 * `Connection` names.
 *
 * @param rawHeaders Alternating names and values.
 */
export function toForwardedHeaders(
  rawHeaders: readonly string[],
  leftOut: readonly string[] = [],
): string[] {
  const pairs = toPairs(rawHeaders);
  const named = pairs
    .filter(([name]) => name.toLowerCase() === "connection")
    .flatMap(([, value]) => value.toLowerCase().split(","))
    .map((name) => name.trim());
  return pairs
    .filter(([rawName]) => {
      const name = rawName.toLowerCase();
      // The length is kept even if `Connection` names it: without it, a peer would end the body elsewhere.
      const isNamed = name !== "content-length" && named.includes(name);
      return !HOP_BY_HOP.has(name) && !isNamed && !leftOut.includes(name);
    })
    .flat();
}

function toPairs(rawHeaders: readonly string[]): [string, string][] {
  return Array.from({ length: Math.floor(rawHeaders.length / 2) }, (_, at) => [
    rawHeaders[2 * at]!,
    rawHeaders[2 * at + 1]!,
  ]);
}
