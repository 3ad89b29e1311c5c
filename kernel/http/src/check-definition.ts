import type { RouteDefinition, Schema } from "@gantry/plugin";
import { describeInput, resolveReference } from "./json-schema.ts";
import type { Json } from "./json-schema.ts";

/** A mistake in a definition is found when it is registered, not when a client calls. */
export function checkDefinition({
  method,
  path,
  access,
  authorize,
  body,
  query,
}: RouteDefinition): void {
  const where = `${method} ${path}`;
  checkAccess(where, access, authorize);
  if (method === "GET" && body)
    throw new TypeError(`${where} cannot have a body.`);
  if (body && body !== "bytes") checkStrict(body, `${where}: its body`);
  if (query) checkStrict(query, `${where}: its query`);
}

/** Nothing is open to all callers because a word was forgotten. */
export function checkAccess(
  where: string,
  access: unknown,
  authorize: unknown,
): void {
  if (access !== "session" && access !== "self")
    throw new TypeError(`${where} must say its access: "session" or "self".`);
  if (access === "self" && !authorize)
    throw new TypeError(
      `${where} has access "self" and no authorize function.`,
    );
}

/** Unknown fields must be refused, or a misspelt one would be lost without a word. */
function checkStrict(schema: Schema, what: string): void {
  if (isStrictObject(schema)) return;
  const json = describeInput(schema);
  for (const part of (json.oneOf ?? json.anyOf ?? [json]) as Json[]) {
    const { $ref } = part;
    const target =
      typeof $ref === "string" ? (resolveReference($ref, json) as Json) : part;
    if (target.additionalProperties !== false)
      throw new TypeError(`${what} must be a strict object schema.`);
  }
}

/**
 * Whether zod says so itself. Most schemas are of this kind, and to describe all of them in JSON Schema would be a tenth
 * of a start.
 */
function isStrictObject(schema: Schema): boolean {
  const def = definitionOf(schema);
  return def?.type === "object" && definitionOf(def.catchall)?.type === "never";
}

interface ZodDefinition {
  type?: unknown;
  catchall?: unknown;
}

function definitionOf(schema: unknown): ZodDefinition | undefined {
  return (schema as { _zod?: { def?: ZodDefinition } } | undefined)?._zod?.def;
}
