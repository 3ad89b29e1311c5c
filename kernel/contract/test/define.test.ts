import { expect, expectTypeOf, test } from "vitest";
import * as z from "zod";
import {
  bytes,
  definePlugin,
  defineRoute,
  defineService,
  eventStream,
  GantryError,
} from "../src/index.ts";
import type { Store } from "../src/index.ts";
import { okAnswer } from "../src/zod.ts";

interface Reminders {
  remind(
    request: { text: string },
    signal: AbortSignal,
  ): Promise<{ id: string }>;
}
const row = { status: 404, title: "No such note", detail: "No such note." };
const Reminders = defineService<Reminders>("reminders.reminders@1");

test("a plugin is the very object that was declared, and declaring it runs nothing", () => {
  const definition = {
    id: "notes",
    api: 1 as const,
    summary: "Short notes",
    mounts: ["/api/notes"],
    setup(): void {
      throw new Error("ran");
    },
  };
  const plugin = definePlugin(definition);
  expect(plugin).toBe(definition);
  expect(plugin.setup).toThrow("ran");
});

test("setup knows its configuration and services by what the plugin declares", () => {
  definePlugin({
    id: "notes",
    api: 1,
    summary: "Short notes",
    mounts: [],
    config: z.strictObject({ most: z.number().default(10) }),
    needs: { reminders: Reminders },
    wants: { later: Reminders },
    setup(ctx) {
      expectTypeOf(ctx.config).toEqualTypeOf<{ most: number }>();
      expectTypeOf(ctx.needs.reminders).toEqualTypeOf<Reminders>();
      expectTypeOf(ctx.wants.later).returns.toEqualTypeOf<
        Reminders | undefined
      >();
      expectTypeOf(ctx.store).toEqualTypeOf<Store>();
      // @ts-expect-error -- a service that was not declared cannot be reached
      void ctx.needs.snippets;
    },
  });
  definePlugin({
    id: "plain",
    api: 1,
    summary: "Nothing declared",
    mounts: [],
    setup(ctx) {
      expectTypeOf(ctx.config).toEqualTypeOf<undefined>();
    },
  });
});

test("a route is the very object that was declared, and its handler answers what it is told to", async () => {
  const definition = {
    method: "POST" as const,
    path: "/api/notes/{id}/title",
    summary: "Name a note",
    access: "session" as const,
    query: z.strictObject({ dry: z.string().optional() }),
    body: z.strictObject({ title: z.string() }),
    returns: okAnswer,
    handle: () => ({ ok: true as const }),
  };
  expect(defineRoute(definition)).toBe(definition);
});

test("a handler gets what its schemas give, and must give what it declares", () => {
  const route = {
    method: "PUT",
    path: "/api/notes/{id}",
    summary: "A note",
    access: "session",
  } as const;
  defineRoute({
    ...route,
    query: z.strictObject({ limit: z.coerce.number() }),
    body: z.strictObject({ title: z.string().default("") }),
    returns: okAnswer,
    handle({ query, body, caller }) {
      expectTypeOf(query).toEqualTypeOf<{ limit: number }>();
      expectTypeOf(body).toEqualTypeOf<{ title: string }>();
      expectTypeOf(caller?.kind).toEqualTypeOf<
        "browser" | "token" | undefined
      >();
      return { ok: true as const };
    },
  });
  defineRoute({
    ...route,
    body: "bytes",
    returns: "bytes",
    handle({ body, query }) {
      expectTypeOf(body).toEqualTypeOf<Uint8Array>();
      expectTypeOf(query).toEqualTypeOf<Record<string, never>>();
      return bytes("text/plain", body);
    },
  });
  defineRoute({
    ...route,
    returns: "event-stream",
    handle({ body }) {
      expectTypeOf(body).toEqualTypeOf<undefined>();
      return eventStream((client) => client.close());
    },
  });
  defineRoute({
    ...route,
    returns: okAnswer,
    // @ts-expect-error -- the answer is not of the declared shape
    handle: () => ({ ok: "yes" }),
  });
});

test("a handler gets the parameters of its path and no others", () => {
  const route = {
    method: "GET",
    summary: "A note",
    access: "session",
    returns: okAnswer,
  } as const;
  const answer = { ok: true as const };
  const missing = () => new GantryError("NOTE_MISSING", row, "No such note.");
  defineRoute({
    ...route,
    path: "/api/notes/{id}/lines/{line}",
    params: { id: { prefix: "not", missing } },
    authorize(head) {
      expectTypeOf(head.params.line).toEqualTypeOf<string>();
    },
    handle({ params }) {
      expectTypeOf(params).toEqualTypeOf<{
        readonly id: string;
        readonly line: string;
      }>();
      // @ts-expect-error -- the path has no such parameter
      void params.noteId;
      return answer;
    },
  });
  const prefix = String("/api/notes");
  defineRoute({
    ...route,
    path: `${prefix}/{id}`,
    handle({ params }) {
      expectTypeOf(params).toEqualTypeOf<{ readonly id: string }>();
      return answer;
    },
  });
  defineRoute({
    ...route,
    path: "/api/notes",
    handle({ params }) {
      // @ts-expect-error -- the path has no parameters
      void params.id;
      return answer;
    },
  });
  defineRoute({
    ...route,
    path: prefix,
    handle({ params }) {
      expectTypeOf(params.id).toEqualTypeOf<string | undefined>();
      return answer;
    },
  });
  defineRoute({
    ...route,
    path: "/api/notes/{id}",
    // @ts-expect-error -- the path has no such parameter
    params: { noteId: { prefix: "not", missing } },
    handle: () => answer,
  });
});

test("a socket gets the parameters of its path and no others", () => {
  definePlugin({
    id: "notes",
    api: 1,
    summary: "Short notes",
    mounts: [],
    setup(ctx) {
      ctx.socket({
        path: "/api/notes/{id}/changes",
        summary: "Changes of a note",
        access: "session",
        admit({ params }) {
          expectTypeOf(params).toEqualTypeOf<{ readonly id: string }>();
        },
        open({ params }) {
          expectTypeOf(params).toEqualTypeOf<{ readonly id: string }>();
        },
      });
    },
  });
});
