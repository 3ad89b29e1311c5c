import type { BodyFormat, DaemonOperation } from "@gantry/plugin";
import { createComponents } from "./components.ts";
import type { Components, Json } from "./components.ts";

/** Version of the spec that the operations follow. */
const SPEC_VERSION = "0.3.1";

const PROBLEM_SCHEMA: Json = {
  type: "object",
  description: "RFC 9457 problem document.",
  required: ["type", "title", "status", "detail", "code"],
  properties: {
    type: { type: "string" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    code: {
      type: "string",
      description: "AREA_REASON; never renamed or reused.",
    },
    requestId: { type: "string" },
    errors: {
      type: "array",
      items: {
        type: "object",
        properties: { path: { type: "string" }, message: { type: "string" } },
      },
    },
  },
};

/**
 * Makes the OpenAPI 3.1.0 document of all registered operations, from the very definitions that requests are checked by.
 *
 * @param version Of Gantry.
 */
export function renderOpenApi(
  operations: readonly DaemonOperation[],
  version: string,
): Json {
  const components = createComponents({ Problem: PROBLEM_SCHEMA });
  const paths: Record<string, Json> = {};
  const tags = new Set<string>();
  const sorted = [...operations].sort((a, b) => (a.path < b.path ? -1 : 1));
  for (const operation of sorted) {
    const { method, path } = operation;
    const tag = tagOf(operation);
    tags.add(tag);
    (paths[path] ??= {})[method.toLowerCase()] = renderOperation(
      operation,
      tag,
      components,
    );
  }
  return {
    openapi: "3.1.0",
    info: { title: "Gantry HTTP API", version, "x-spec-version": SPEC_VERSION },
    tags: [...tags].sort().map((name) => ({ name })),
    paths,
    components: {
      schemas: components.schemas,
      securitySchemes: {
        session: { type: "apiKey", in: "cookie", name: "gantry_session" },
        installToken: { type: "http", scheme: "bearer" },
        ownCredential: {
          type: "http",
          scheme: "bearer",
          description: "A credential of the operation's own.",
        },
      },
    },
  };
}

/** Operations go by what their path is about, as the spec's do; a plugin may have several such. */
function tagOf({ path, plugin, isSystem }: DaemonOperation): string {
  const area = /^\/api\/([a-z0-9-]+)/.exec(path)?.[1];
  return isSystem ? (area ?? "auth") : plugin;
}

function renderOperation(
  operation: DaemonOperation,
  tag: string,
  components: Components,
): Json {
  const { summary, description, access, errors, codes } = operation;
  const parameters = [
    ...pathParameters(operation),
    ...queryParameters(operation, components),
  ];
  return {
    operationId: operationId(operation),
    tags: [tag],
    summary,
    ...(description ? { description } : {}),
    security: securityOf(operation),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...renderBody(operation, components),
    // All codes, those of the kernel too, for clients and tests that want to know each of them.
    "x-error-codes": codes,
    responses: {
      "200": {
        description: "Success",
        content: renderAnswer(operation, components),
      },
      "401": problem(
        access === "session"
          ? "Not paired"
          : "The credential of the operation's own is not right",
      ),
      default: problem(
        errors?.length ? `A problem; codes: ${errors.join(", ")}` : "A problem",
      ),
    },
  };
}

function securityOf({ access, isPublic }: DaemonOperation): Json[] {
  if (isPublic) return [];
  return access === "session"
    ? [{ session: [] }, { installToken: [] }]
    : [{ ownCredential: [] }];
}

function problem(description: string): Json {
  return {
    description,
    content: {
      "application/problem+json": {
        schema: { $ref: "#/components/schemas/Problem" },
      },
    },
  };
}

function operationId({ method, path }: DaemonOperation): string {
  const words = path
    .replace(/^\/api\//, "")
    .replace(/[{}]/g, "")
    .split(/[/.-]+/)
    .filter(Boolean);
  return [
    method.toLowerCase(),
    ...words.map((word) => word[0]?.toUpperCase() + word.slice(1)),
  ].join("");
}

function pathParameters({ path }: DaemonOperation): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameters(
  { query }: DaemonOperation,
  components: Components,
): Json[] {
  if (!query) return [];
  const schema = components.resolve(components.describe(query, "input"));
  const required = new Set((schema.required as string[] | undefined) ?? []);
  return Object.entries((schema.properties ?? {}) as Record<string, Json>).map(
    ([name, property]) => ({
      name,
      in: "query",
      required: required.has(name),
      schema: property,
    }),
  );
}

function renderBody(
  { method, body, bodyFormat }: DaemonOperation,
  components: Components,
): Json {
  if (method === "GET") return {};
  if (body === "bytes")
    return {
      requestBody: {
        required: false,
        content: renderBytes(bodyFormat, components),
      },
    };
  // An operation that asks for nothing still takes an empty object, as the spec has it.
  const schema = body
    ? components.describe(body, "input")
    : { type: "object", additionalProperties: false };
  return {
    requestBody: {
      required: false,
      content: { "application/json": { schema } },
    },
  };
}

function renderBytes(
  format: BodyFormat | undefined,
  components: Components,
): Json {
  if (!format) return { "*/*": { schema: { type: "string" } } };
  const { mediaType, description, lines } = format;
  return {
    [mediaType]: {
      schema: {
        type: "string",
        contentMediaType: mediaType,
        ...(description ? { description } : {}),
        ...(lines
          ? { contentSchema: components.describe(lines, "input") }
          : {}),
      },
    },
  };
}

function renderAnswer(
  { returns }: DaemonOperation,
  components: Components,
): Json {
  if (returns === "event-stream")
    return { "text/event-stream": { schema: { type: "string" } } };
  if (returns === "bytes")
    return {
      "application/octet-stream": {
        schema: { type: "string", format: "binary" },
      },
    };
  return {
    "application/json": { schema: components.describe(returns, "output") },
  };
}
