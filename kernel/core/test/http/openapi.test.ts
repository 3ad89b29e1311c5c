import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { defineRoute, eventStream } from "@gantry/plugin";
import { okAnswer, pageOf, pageQuery, storedFields } from "@gantry/plugin/zod";
import * as z from "zod";
import { startTestKernel } from "../../../testing/src/index.ts";
import type { TestKernel } from "../../../testing/src/index.ts";
import { version } from "../../src/version.ts";
import { createProbe } from "../support/probe.ts";
import { createShell } from "../support/shell.ts";

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  security: Record<string, string[]>[];
  parameters?: {
    name: string;
    in: string;
    required: boolean;
    schema: object;
  }[];
  "x-error-codes": string[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { content: Record<string, { schema: object }> }>;
}

interface OpenApi {
  openapi: string;
  info: Record<string, unknown>;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
}

const documentOf = async (kernel: TestKernel) =>
  (await kernel.api.get<OpenApi>("/api/openapi.json")).body;

const Thing = z
  .object({
    ...storedFields,
    title: z.string(),
    inner: z.object({ deep: z.number() }).meta({ id: "Inner" }),
  })
  .meta({ id: "Thing" });
const Other = z.object({ other: z.string() }).meta({ id: "Other" });

/** A plugin with an operation of each kind. */
function createWide(id = "wide") {
  const common = { summary: "Made for a test", access: "session" } as const;
  const path = `/api/${id}`;
  return createProbe({
    id,
    setup(ctx) {
      ctx.route(
        defineRoute({
          ...common,
          method: "GET",
          path,
          query: pageQuery.extend({
            state: z.enum(["open", "done"]).optional(),
          }),
          returns: pageOf(Thing),
          handle: () => ({ items: [], nextCursor: null }),
        }),
      );
      ctx.route(
        defineRoute({
          ...common,
          method: "POST",
          path,
          description: "In *Markdown*.",
          body: z.strictObject({
            title: z.string().max(9),
            thing: Thing.optional(),
          }),
          returns: Thing,
          errors: ["THING_BUSY"],
          handle: () => expect.unreachable() as never,
        }),
      );
      ctx.route(
        defineRoute({
          ...common,
          method: "PATCH",
          path: `${path}/{id}`,
          body: z.strictObject({ title: z.string().nullable() }),
          returns: Thing,
          handle: () => expect.unreachable() as never,
        }),
      );
      ctx.route(
        defineRoute({
          ...common,
          method: "DELETE",
          path: `${path}/{id}/part/{name}`,
          returns: z.object({ thing: Thing, other: Other }),
          handle: () => expect.unreachable() as never,
        }),
      );
      ctx.route(
        defineRoute({
          ...common,
          method: "PUT",
          path: `${path}/{id}`,
          body: "bytes",
          returns: "bytes",
          handle: () => expect.unreachable() as never,
        }),
      );
      ctx.route(
        defineRoute({
          ...common,
          method: "GET",
          path: `${path}/{id}/stream`,
          returns: "event-stream",
          handle: () => eventStream(() => {}),
        }),
      );
      ctx.route(
        defineRoute({
          ...common,
          method: "PUT",
          path: `${path}/{id}/lines`,
          body: "bytes",
          bodyFormat: {
            mediaType: "application/x-ndjson",
            description: "A thing a line.",
            lines: Thing,
          },
          returns: okAnswer,
          handle: () => ({ ok: true as const }),
        }),
      );
      ctx.route(
        defineRoute({
          ...common,
          method: "POST",
          path: `${path}/{id}/fire`,
          access: "self",
          authorize: () => {},
          body: "bytes",
          returns: okAnswer,
          handle: () => ({ ok: true as const }),
        }),
      );
    },
  });
}

test("the document is valid OpenAPI 3.1 and says what it is of", async () => {
  await using kernel = await startTestKernel([createWide()], {
    shell: await createShell(),
  });
  const document = await documentOf(kernel);
  expect(document).toMatchObject({
    openapi: "3.1.0",
    info: {
      title: "Gantry HTTP API",
      version: "0.0.0-test",
      "x-spec-version": "0.3.1",
    },
  });
  expect(version).toMatch(/^\d+\.\d+\.\d+/);
  const result = await new Validator().validate({
    ...structuredClone(document),
  });
  expect(result.errors).toBeUndefined();
  expect(result.valid).toBe(true);
});

test("every operation is in it, with who may call it and what goes in and out", async () => {
  await using kernel = await startTestKernel([createWide()]);
  const { paths } = await documentOf(kernel);
  const records = kernel.kernel.http.app.table.routes();
  const listed = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(listed.sort()).toEqual(
    records
      .map(({ definition }) => `${definition.method} ${definition.path}`)
      .sort(),
  );
  expect(listed.length).toBeGreaterThan(17);
  const seen = new Set<string>();
  for (const { definition, isPublic, owner } of records) {
    const { method, path, access, returns } = definition;
    const operation = paths[path]?.[method.toLowerCase()];
    const where = `${method} ${path}`;
    expect(operation, where).toBeDefined();
    if (!operation) continue;
    expect(operation.summary.length, where).toBeGreaterThan(3);
    expect(seen.has(operation.operationId), operation.operationId).toBe(false);
    seen.add(operation.operationId);
    if (owner.plugin === "wide") expect(operation.tags).toEqual(["wide"]);
    const security = isPublic
      ? []
      : access === "session"
        ? [{ session: [] }, { installToken: [] }]
        : [{ ownCredential: [] }];
    expect(operation.security, where).toEqual(security);
    expect(operation.responses, where).toHaveProperty("401");
    for (const code of [...(definition.errors ?? []), "KERNEL_FAULT"])
      expect(operation["x-error-codes"], where).toContain(code);
    for (const code of operation["x-error-codes"])
      expect(code, where).toMatch(/^[A-Z]+(_[A-Z]+)+$/);
    const [type, answer] =
      Object.entries(operation.responses["200"]?.content ?? {})[0] ?? [];
    expect(type, where).toBe(
      returns === "event-stream"
        ? "text/event-stream"
        : returns === "bytes"
          ? "application/octet-stream"
          : "application/json",
    );
    expect(answer?.schema, where).toBeDefined();
    expect(operation.requestBody === undefined, where).toBe(method === "GET");
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const inPath =
      operation.parameters?.filter((parameter) => parameter.in === "path") ??
      [];
    expect(
      inPath.map(({ name }) => name),
      where,
    ).toEqual(names);
  }
});

test("the codes of an operation are its own and the kernel's for one of its kind", async () => {
  await using kernel = await startTestKernel([createWide()]);
  const { paths } = await documentOf(kernel);
  const codesAt = (path: string, method: string) =>
    paths[path]?.[method]?.["x-error-codes"] ?? [];
  const list = codesAt("/api/wide", "get");
  expect(list).toEqual(
    expect.arrayContaining(["AUTH_NOT_PAIRED", "BAD_CURSOR", "INPUT_INVALID"]),
  );
  expect(list).not.toContain("BODY_NOT_JSON");
  const create = codesAt("/api/wide", "post");
  expect(create).toEqual(
    expect.arrayContaining(["BODY_FORBIDDEN_KEY", "THING_BUSY"]),
  );
  for (const code of ["BAD_CURSOR", "BODY_NOT_EXPECTED", "STALE_REVISION"])
    expect(create).not.toContain(code);
  expect(codesAt("/api/wide/{id}", "patch")).toContain("STALE_REVISION");
  const fire = codesAt("/api/wide/{id}/fire", "post");
  expect(fire).toContain("BODY_TOO_LARGE");
  for (const code of ["AUTH_NOT_PAIRED", "BODY_NOT_JSON"])
    expect(fire).not.toContain(code);
});

test("a body of bytes is described by its format, and may be anything without one", async () => {
  await using kernel = await startTestKernel([createWide()]);
  const { paths } = await documentOf(kernel);
  const contentAt = (path: string) => paths[path]?.put?.requestBody?.content;
  expect(contentAt("/api/wide/{id}/lines")).toEqual({
    "application/x-ndjson": {
      schema: {
        type: "string",
        contentMediaType: "application/x-ndjson",
        contentSchema: {
          $ref: expect.stringMatching(/schemas\/Thing\d?$/) as string,
        },
        description: "A thing a line.",
      },
    },
  });
  expect(contentAt("/api/wide/{id}")).toEqual({
    "*/*": { schema: { type: "string" } },
  });
});

test("queries and bodies are described as they are checked", async () => {
  await using kernel = await startTestKernel([createWide()]);
  const { paths, components } = await documentOf(kernel);
  const list = paths["/api/wide"]?.get;
  expect(list?.parameters).toEqual([
    {
      name: "limit",
      in: "query",
      required: false,
      schema: expect.objectContaining({
        type: "integer",
        minimum: 1,
        maximum: 500,
        default: 50,
      }) as object,
    },
    {
      name: "cursor",
      in: "query",
      required: false,
      schema: { type: "string", maxLength: 1024 },
    },
    {
      name: "state",
      in: "query",
      required: false,
      schema: { type: "string", enum: ["open", "done"] },
    },
  ]);
  expect(paths["/api/wide"]?.post).toMatchObject({
    description: "In *Markdown*.",
    requestBody: {
      content: {
        "application/json": {
          schema: {
            additionalProperties: false,
            required: ["title"],
            properties: { title: { maxLength: 9 } },
          },
        },
      },
    },
    responses: {
      "200": {
        content: {
          "application/json": {
            schema: { $ref: "#/components/schemas/Thing" },
          },
        },
      },
      default: { description: expect.stringContaining("THING_BUSY") as string },
    },
  });
  expect(components.schemas.Thing).toMatchObject({
    properties: { inner: { $ref: "#/components/schemas/Inner" } },
  });
  expect(components.schemas.Inner).toMatchObject({
    properties: { deep: { type: "number" } },
  });
  expect(JSON.stringify(paths)).not.toContain("$defs");
  // As it comes out, and as it goes in; however many operations speak of it.
  const named = Object.keys(components.schemas).filter((name) =>
    /^(Thing|Inner|Other)/.test(name),
  );
  expect(named.sort()).toEqual(["Inner", "Inner2", "Other", "Thing", "Thing2"]);
});

test("two plugins may call different things by one name", async () => {
  const route = (id: string, returns: z.ZodType) =>
    createProbe({
      id,
      setup: (ctx) =>
        void ctx.route(
          defineRoute({
            method: "GET",
            path: `/api/${id}`,
            summary: "Made for a test",
            access: "session",
            returns: z.object({ it: returns }),
            handle: () => expect.unreachable() as never,
          }),
        ),
    });
  const one = z.object({ ofOne: z.string() });
  const two = z.object({ ofTwo: z.string() });
  await using kernel = await startTestKernel([
    route("one", named(one, "Same")),
    route("two", named(two, "Same")),
  ]);
  const { paths, components } = await documentOf(kernel);
  const schemaAt = (path: string) => {
    const schema = paths[path]?.get?.responses["200"]?.content[
      "application/json"
    ]?.schema as { properties: { it: { $ref: string } } };
    return components.schemas[
      schema.properties.it.$ref.replace("#/components/schemas/", "")
    ];
  };
  expect(schemaAt("/api/one")).toMatchObject({ properties: { ofOne: {} } });
  expect(schemaAt("/api/two")).toMatchObject({ properties: { ofTwo: {} } });
});

/** As in a bundle of its own: zod keeps names for one registry only. */
function named<Schema extends z.ZodType>(schema: Schema, id: string): Schema {
  return schema.meta({ id }) as Schema;
}

test("it follows the plugins that come and go", async () => {
  await using kernel = await startTestKernel([createWide()]);
  expect((await documentOf(kernel)).paths["/api/wide"]).toBeDefined();
  await kernel.kernel.plugins.stop("wide");
  expect((await documentOf(kernel)).paths["/api/wide"]).toBeUndefined();
  await kernel.kernel.plugins.start();
  expect((await documentOf(kernel)).paths["/api/wide"]).toBeDefined();
});
