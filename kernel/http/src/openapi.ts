import type { BodyFormat, RouteDefinition } from "@gantry/plugin";
import type { RouteRecord } from "./route-table.ts";
import { createComponents } from "./openapi-components.ts";
import type { Components, Json } from "./openapi-components.ts";
import { errorCodesOf } from "./error-codes.ts";
import { parametersOf } from "./route-table.ts";
import { PROBLEM_MEDIA_TYPE } from "./reply.ts";

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

/** Makes the OpenAPI 3.1.0 document of all registered operations, from the very records that check requests. */
export function renderOpenApi(
  records: readonly RouteRecord[],
  { version }: { version: string },
): Json {
  const components = createComponents({ Problem: PROBLEM_SCHEMA });
  const paths: Record<string, Json> = {};
  const tags = new Set<string>();
  const sorted = [...records].sort((a, b) =>
    a.definition.path < b.definition.path ? -1 : 1,
  );
  for (const record of sorted) {
    const { method, path } = record.definition;
    const tag = tagOf(record);
    tags.add(tag);
    (paths[path] ??= {})[method.toLowerCase()] = renderOperation(
      record,
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
function tagOf({ definition, owner }: RouteRecord): string {
  const area = /^\/api\/([a-z0-9-]+)/.exec(definition.path)?.[1];
  return owner.isSystem ? (area ?? "auth") : owner.plugin;
}

function renderOperation(
  record: RouteRecord,
  tag: string,
  components: Components,
): Json {
  const { definition } = record;
  const parameters = [
    ...pathParameters(definition),
    ...queryParameters(definition, components),
  ];
  return {
    operationId: operationId(definition),
    tags: [tag],
    summary: definition.summary,
    ...(definition.description ? { description: definition.description } : {}),
    security: securityOf(record),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...renderBody(definition, components),
    // All codes, those of the kernel too, for clients and tests that want to know each of them.
    "x-error-codes": errorCodesOf(record),
    responses: {
      "200": {
        description: "Success",
        content: renderAnswer(definition, components),
      },
      "401": problem(
        definition.access === "session"
          ? "Not paired"
          : "The credential of the operation's own is not right",
      ),
      default: problem(
        definition.errors?.length
          ? `A problem; codes: ${definition.errors.join(", ")}`
          : "A problem",
      ),
    },
  };
}

function securityOf({ definition, isPublic }: RouteRecord): Json[] {
  if (isPublic) return [];
  return definition.access === "session"
    ? [{ session: [] }, { installToken: [] }]
    : [{ ownCredential: [] }];
}

function problem(description: string): Json {
  return {
    description,
    content: {
      [PROBLEM_MEDIA_TYPE]: {
        schema: { $ref: "#/components/schemas/Problem" },
      },
    },
  };
}

function operationId({ method, path }: RouteDefinition): string {
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

function pathParameters({ path }: RouteDefinition): Json[] {
  return parametersOf(path).map((name) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameters(
  { query }: RouteDefinition,
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
  { method, body, bodyFormat }: RouteDefinition,
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
  { returns }: RouteDefinition,
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
