import { expect, expectTypeOf, test } from "vitest";
import * as z from "zod";
import {
  bytes,
  definePlugin,
  defineRoute,
  defineService,
  eventStream,
} from "../src/index.ts";
import type { Store } from "../src/index.ts";
import { okAnswer } from "../src/zod.ts";

interface Reminders {
  remind(
    request: { text: string },
    signal: AbortSignal,
  ): Promise<{ id: string }>;
}
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

test("defineRoute returns the declared object", async () => {
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
