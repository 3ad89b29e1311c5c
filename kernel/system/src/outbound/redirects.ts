/** The parts of a request that a redirect may change. */
export interface RequestParts {
  method: string;
  headers: Headers;
  body: RequestInit["body"];
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Headers that are not sent to another origin. */
const CREDENTIALS = ["authorization", "cookie", "proxy-authorization"];
/** Headers that describe a body. */
const BODY_HEADERS = [
  "content-encoding",
  "content-language",
  "content-length",
  "content-location",
  "content-type",
];

/**
 * Returns the request that follows a redirect, as the Fetch standard defines it; `undefined` if the answer is no redirect, has no
 * valid location, or the body cannot be sent again.
 */
export function followRedirect(
  url: URL,
  { method, headers, body }: RequestParts,
  answer: { status: number; headers: { get(name: string): string | null } },
): { target: URL; parts: RequestParts } | undefined {
  const location = answer.headers.get("location");
  if (!REDIRECTS.has(answer.status) || location === null) return undefined;
  if (!URL.canParse(location, url.href)) return undefined;
  const target = new URL(location, url);
  const parts: RequestParts = { method, headers: new Headers(headers), body };
  if (becomesGet(answer.status, method)) {
    parts.method = "GET";
    parts.body = undefined;
    for (const name of BODY_HEADERS) parts.headers.delete(name);
  } else if (isStream(body)) return undefined;
  if (target.origin !== url.origin)
    for (const name of CREDENTIALS) parts.headers.delete(name);
  return { target, parts };
}

function becomesGet(status: number, method: string): boolean {
  return (
    (status === 303 && method !== "GET" && method !== "HEAD") ||
    ((status === 301 || status === 302) && method === "POST")
  );
}

function isStream(body: RequestParts["body"]): boolean {
  return (
    typeof body === "object" && body !== null && Symbol.asyncIterator in body
  );
}
