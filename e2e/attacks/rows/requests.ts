import type { RawRequest } from "../../../kernel/core/test/support/raw-http.ts";
import { refused } from "../runner/row.ts";
import type { Outcome } from "../runner/row.ts";
import type { Route } from "../world/routes.ts";
import type { World } from "../world/world.ts";

export type Header = readonly [name: string, value: string];

/** The headers of a program that is paired. */
export function paired(world: World, ...more: Header[]): Header[] {
  return [["host", world.host], ["cookie", world.cookie], ...more];
}

/** The headers of a client that knows the daemon's address and nothing else. */
export function stranger(world: World, ...more: Header[]): Header[] {
  return [["host", world.host], ...more];
}

/** The header that carries a secret. */
export function bearer(secret: string): Header {
  return ["authorization", `Bearer ${secret}`];
}

/** Headers that send a text as a JSON body. */
export function jsonBody(body: string): Header[] {
  return [
    ["content-type", "application/json"],
    ["content-length", String(Buffer.byteLength(body))],
  ];
}

/** A paired program's request with a JSON body. */
export function postJson(
  world: World,
  target: string,
  body: object | string,
  method = "POST",
): RawRequest {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return {
    method,
    target,
    headers: paired(world, ...jsonBody(text)),
    body: text,
  };
}

/** Whether an operation only reads. */
export function isRead({ method }: Pick<Route, "method">): boolean {
  return method === "GET" || method === "HEAD";
}

/** A route in words, for the message of a trial. */
export function nameOf({ method, path }: Route): string {
  return `${method} ${path}`;
}

/** An id of the right shape that belongs to nothing. */
export function idOfNobody(prefix: string): string {
  return `${prefix}_${"a".repeat(24)}`;
}

/** What a webhook answers a client without its secret; after ten of them in a minute it counts no further. */
export function refusedByHook(): Outcome {
  return refused(
    [401, 429],
    ["WEBHOOK_UNAUTHORIZED", "WEBHOOK_TOO_MANY_TRIES"],
  );
}

/** Whether a path is a webhook, which a client with its secret may call from anywhere. */
export function isHook(path: string): boolean {
  return path.endsWith("/fire");
}

/** What a path with a credential of its own answers a client without it, before any other check. */
export function refusedByItself(path: string): Outcome {
  return isHook(path)
    ? refusedByHook()
    : refused(401, "AGENT_RECEIVER_UNAUTHORIZED");
}

/** Whether a path has a credential of its own. */
export function guardsItself(
  path: string,
  routes: readonly Pick<Route, "path" | "access">[],
): boolean {
  return routes.some((route) => route.path === path && route.access === "self");
}

/** The routes that read a JSON body of a paired client. One with a credential of its own refuses before it reads. */
export function takingJson({ routes }: Pick<World, "routes">): Route[] {
  return routes.filter(
    ({ takes, access }) => takes === "json" && access !== "self",
  );
}
