import type { ApiClient } from "../../support/api-client.ts";

/** A part of a JSON schema, as far as attacks look into it. */
export interface JsonSchema {
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: unknown;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  $ref?: string;
  enum?: unknown[];
  const?: unknown;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  maxItems?: number;
  pattern?: string;
  "x-gantry-any-key"?: true;
}

/** An operation, as the daemon itself describes it. */
export interface Route {
  readonly method: string;
  readonly path: string;
  /** `public`: no credential at all, as for pairing. */
  readonly access: "session" | "self" | "public";
  readonly takes: "json" | "bytes" | "nothing";
  readonly answers: "json" | "stream" | "bytes";
  readonly body: JsonSchema | undefined;
  readonly query: readonly string[];
  /** Codes of the errors that it answers. */
  readonly codes: readonly string[];
}

interface Operation {
  security: Record<string, unknown>[];
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, { content: Record<string, unknown> }>;
  "x-error-codes": string[];
}

/** Reads all operations from the document that the daemon serves, so that a new one is attacked from its first day. */
export async function readRoutes(api: ApiClient): Promise<Route[]> {
  const { body } = await api.call<{
    paths: Record<string, Record<string, Operation>>;
  }>("GET", "/api/openapi.json");
  return Object.entries(body.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) =>
      toRoute(method.toUpperCase(), path, operation),
    ),
  );
}

function toRoute(method: string, path: string, operation: Operation): Route {
  const names = operation.security.flatMap((scheme) => Object.keys(scheme));
  const content = operation.requestBody?.content;
  const answer = Object.keys(operation.responses["200"]?.content ?? {});
  return {
    method,
    path,
    access: names.includes("session")
      ? "session"
      : names.length > 0
        ? "self"
        : "public",
    takes: !content
      ? "nothing"
      : "application/json" in content
        ? "json"
        : "bytes",
    answers: answer.includes("application/json")
      ? "json"
      : answer.includes("text/event-stream")
        ? "stream"
        : "bytes",
    body: content?.["application/json"]?.schema,
    query: (operation.parameters ?? [])
      .filter((parameter) => parameter.in === "query")
      .map(({ name }) => name),
    codes: operation["x-error-codes"],
  };
}

/** The id of nothing where there is nothing, in the form that it would have, so that what comes after the id is judged. */
const NO_ID = "0".repeat(32);
const NO_IDS: Readonly<Record<string, string>> = {
  "/api/agents/{id}/turn-changes": `trn_${"a".repeat(24)}`,
  "/api/browser/questions": `bqn_${NO_ID}`,
};

/** An address with ids of things that are really there, so that an attack that got through would hit something. */
export async function findTargets(
  api: ApiClient,
  routes: readonly Route[],
): Promise<Map<string, string>> {
  const listed = new Set(
    routes.flatMap(({ method, path }) => (method === "GET" ? [path] : [])),
  );
  const targets = new Map<string, string>();

  async function fill(path: string): Promise<string> {
    const known = targets.get(path);
    if (known !== undefined) return known;
    const start = path.lastIndexOf("/{");
    let filled = path;
    if (start >= 0) {
      const end = path.indexOf("}", start) + 1;
      const list = path.slice(0, start);
      const parent = await fill(list);
      const id = listed.has(list) ? await firstId(parent) : undefined;
      filled = `${parent}/${id ?? NO_IDS[list] ?? NO_ID}${path.slice(end)}`;
    }
    targets.set(path, filled);
    return filled;
  }

  async function firstId(list: string): Promise<string | undefined> {
    const { body } = await api.call<{
      items?: { id: string; current?: boolean }[];
    }>("GET", list);
    return body.items?.find(({ current }) => !current)?.id;
  }

  for (const { path } of routes) await fill(path);
  return targets;
}
