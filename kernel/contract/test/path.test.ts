import { expect, expectTypeOf, test } from "vitest";
import { defineErrors, defineRoute } from "../src/index.ts";
import type {
  PathParameters,
  PluginContext,
  RouteDefinition,
} from "../src/index.ts";
import { okAnswer } from "../src/zod.ts";

const errors = defineErrors({
  NOTE_NOT_FOUND: { status: 404, title: "None", detail: "No note {id}." },
  PART_NOT_FOUND: { status: 404, title: "None", detail: "No part {part}." },
});
const common = {
  method: "GET",
  summary: "A part of a note",
  access: "session",
  returns: okAnswer,
} as const;
const ok = { ok: true } as const;

test("the parameters of a path are those that its literal names", () => {
  expectTypeOf<keyof PathParameters<"/api/notes">>().toBeNever();
  expectTypeOf<PathParameters<"/api/notes/{id}">>().toEqualTypeOf<{
    readonly id: string;
  }>();
  expectTypeOf<
    PathParameters<"/api/notes/{id}/parts/{part}/raw">
  >().toEqualTypeOf<{ readonly id: string; readonly part: string }>();
  expectTypeOf<PathParameters<string>>().toEqualTypeOf<
    Readonly<Record<string, string>>
  >();
});

test("a handler has the parameters of its path and no others", () => {
  const base = "/api/notes";
  const definition: RouteDefinition = defineRoute({
    ...common,
    path: `${base}/{id}/parts/{part}`,
    params: { id: { prefix: "not", missing: errors.NOTE_NOT_FOUND } },
    handle({ params }) {
      expectTypeOf(params).toEqualTypeOf<{
        readonly id: string;
        readonly part: string;
      }>();
      return ok;
    },
  });
  expect(definition.path).toBe("/api/notes/{id}/parts/{part}");
  defineRoute({
    ...common,
    path: "/api/notes/{id}",
    // @ts-expect-error -- the path has no such parameter
    handle: ({ params }) => ({ ok: params.name === "" || true }),
  });
  defineRoute({
    ...common,
    path: "/api/notes/{id}",
    // @ts-expect-error -- the path has no such parameter
    params: { name: { prefix: "not", missing: errors.NOTE_NOT_FOUND } },
    handle: () => ok,
  });
  defineRoute({
    ...common,
    path: "/api/notes/{id}",
    // @ts-expect-error -- its detail has another placeholder than the id
    params: { id: { prefix: "not", missing: errors.PART_NOT_FOUND } },
    handle: () => ok,
  });
  defineRoute({
    ...common,
    access: "self",
    path: "/api/notes/{id}",
    authorize({ params }) {
      expectTypeOf(params).toEqualTypeOf<{ readonly id: string }>();
    },
    handle: () => ok,
  });
});

test("a path that is only known as a string has parameters that may be missing", () => {
  const path: string = "/api/notes/{id}";
  defineRoute({
    ...common,
    path,
    handle({ params }) {
      expectTypeOf(params["id"]).toEqualTypeOf<string | undefined>();
      return ok;
    },
  });
});

test("a socket has the parameters of its path", () => {
  const register = (ctx: PluginContext) =>
    ctx.socket({
      path: "/api/notes/{id}/live",
      summary: "A note as it is written",
      access: "session",
      open({ params }) {
        expectTypeOf(params).toEqualTypeOf<{ readonly id: string }>();
      },
      // @ts-expect-error -- the path has no such parameter
      message: ({ params }) => void params.part,
    });
  expect(register).toBeTypeOf("function");
});
