import type { IncomingMessage, ServerResponse } from "node:http";
import { setSecurityHeaders } from "./reply.ts";

const POLICY = "content-security-policy";
/** Keeps a page from acting on the daemon's origin. */
const SANDBOX = "sandbox";

/** Response headers that act on the whole origin of the daemon, not only on one answer. */
const ORIGIN_WIDE =
  /^(access-control-.*|alt-svc|clear-site-data|service-worker-allowed|set-cookie2?|strict-transport-security)$/;

type Headers = Record<string, unknown> | readonly unknown[];

/**
 * Sets the headers of a plain handler's answer, and keeps those that protect the daemon's origin, whatever the handler
 * sets: what a proxy copies from another server is not the plugin's own.
 */
export function guardResponse(
  response: ServerResponse,
  requestId: string,
): void {
  setSecurityHeaders(response, requestId);
  response.setHeader("cache-control", "no-store");
  response.setHeader(POLICY, SANDBOX);
  const writeHead = response.writeHead.bind(response);
  // Node calls it too, for an answer that begins with its body.
  response.writeHead = (
    status: number,
    reason?: string | Headers,
    headers?: Headers,
  ) => {
    const given = headers ?? (typeof reason === "object" ? reason : undefined);
    setHeaders(response, given);
    for (const name of response.getHeaderNames())
      if (ORIGIN_WIDE.test(name)) response.removeHeader(name);
    setSecurityHeaders(response, requestId);
    const policy = response.getHeader(POLICY);
    response.setHeader(POLICY, withSandbox(String(policy ?? "")));
    return typeof reason === "string"
      ? writeHead(status, reason)
      : writeHead(status);
  };
}

/** Removes headers from a request, so that a handler that forwards it does not forward them. */
export function removeHeaders(
  message: IncomingMessage,
  names: readonly string[],
): void {
  const { rawHeaders } = message;
  message.rawHeaders = rawHeaders.filter((_, index) => {
    const name = rawHeaders[index - (index % 2)] ?? "";
    return !names.includes(name.toLowerCase());
  });
  for (const name of names) delete message.headers[name];
}

/** Sets headers in one of the forms that `writeHead` takes: by name, or names and values in turn. */
function setHeaders(response: ServerResponse, headers: Headers = {}): void {
  const isFlat = Array.isArray(headers) && !Array.isArray(headers[0]);
  const flat = isFlat
    ? (headers as unknown[])
    : (Array.isArray(headers) ? headers : Object.entries(headers)).flat(1);
  const seen = new Set<string>();
  for (let index = 0; index < flat.length; index += 2) {
    const name = String(flat[index]).toLowerCase();
    const value = flat[index + 1] as string | string[];
    if (value === undefined) continue;
    if (seen.has(name)) response.appendHeader(name, value);
    else response.setHeader(name, value);
    seen.add(name);
  }
}

/** Adds the sandbox to a list of policies, unless one of them already keeps the page from the daemon's origin. */
function withSandbox(policies: string): string {
  if (policies.split(",").some(isSandboxed)) return policies;
  return policies.trim() === "" ? SANDBOX : `${SANDBOX}, ${policies}`;
}

function isSandboxed(policy: string): boolean {
  // Of several directives with one name, browsers take the first.
  const sandbox = policy
    .toLowerCase()
    .split(";")
    .map((directive) => directive.trim().split(/\s+/))
    .find(([name]) => name === SANDBOX);
  return sandbox !== undefined && !sandbox.includes("allow-same-origin");
}
