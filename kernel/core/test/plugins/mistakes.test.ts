import { expect, test } from "vitest";
import { defineEvent, defineService } from "@gantry/plugin";
import type { PluginContext } from "@gantry/plugin";
import * as z from "zod";
import { startTestKernel } from "../../../testing/src/index.ts";
import { checkDefinition } from "../../src/plugins/definition.ts";
import { createProbe, hello, statusOf } from "../support/probe.ts";

const Greeter = defineService<{ greet(): Promise<string> }>("test.greeter@1");

const socket = {
  path: "/api/probe/socket",
  summary: "Talk",
  access: "session",
} as const;

test.each([
  [
    "a path outside its mounts",
    { setup: (ctx: PluginContext) => void ctx.route(hello("/api/other")) },
    /outside the mounts/,
  ],
  [
    "a path beside its mount",
    { setup: (ctx: PluginContext) => void ctx.route(hello("/api/probed")) },
    /outside the mounts/,
  ],
  [
    "a socket outside its mounts",
    {
      setup: (ctx: PluginContext) =>
        void ctx.socket({ path: "/api/other", summary: "", access: "session" }),
    },
    /outside the mounts/,
  ],
  [
    "an address twice",
    {
      setup(ctx: PluginContext) {
        ctx.route(hello("/api/probe"));
        ctx.route(hello("/api/probe"));
      },
    },
    /already registered/,
  ],
  [
    "two names for one parameter",
    {
      setup(ctx: PluginContext) {
        ctx.route(hello("/api/probe/{a}"));
        ctx.route({ ...hello("/api/probe/{b}"), method: "POST" });
      },
    },
    /are one address/,
  ],
  [
    "a route without access",
    {
      setup: (ctx: PluginContext) =>
        void ctx.route({ ...hello("/api/probe"), access: undefined as never }),
    },
    /must say its access/,
  ],
  [
    "a route of its own credential without a check",
    {
      setup: (ctx: PluginContext) =>
        void ctx.route({ ...hello("/api/probe"), access: "self" }),
    },
    /no authorize function/,
  ],
  [
    "a socket that says no access",
    {
      setup: (ctx: PluginContext) =>
        void ctx.socket({ ...socket, access: undefined as never }),
    },
    /must say its access/,
  ],
  [
    "a socket with its own credential and no check of it",
    {
      setup: (ctx: PluginContext) =>
        void ctx.socket({ ...socket, access: "self" }),
    },
    /no authorize function/,
  ],
  [
    "a socket at an address that is taken",
    {
      setup: (ctx: PluginContext) => {
        ctx.socket({ ...socket, path: "/api/probe/{id}" });
        ctx.socket({ ...socket, path: "/api/probe/{name}" });
      },
    },
    /already registered by "probe"/,
  ],
  [
    "a body that is not strict",
    {
      setup: (ctx: PluginContext) =>
        void ctx.route({
          ...hello("/api/probe"),
          method: "POST",
          body: z.object({}),
        }),
    },
    /strict object/,
  ],
  [
    "a service that it does not declare",
    { setup: (ctx: PluginContext) => void ctx.provide(Greeter, {} as never) },
    /does not declare/,
  ],
  [
    "a cron line without a zone",
    {
      setup: (ctx: PluginContext) =>
        void ctx.cron("* * * * *", () => {}, { timezone: "" }),
    },
    /time zone/,
  ],
])(
  "%s is a mistake that is found at the start",
  async (_, definition, message) => {
    await using other = await startTestKernel([]);
    await using kernel = await startTestKernel([createProbe(definition)]);
    kernel.expectFault(message);
    expect(statusOf(kernel, "probe")).toEqual({
      state: "failed",
      reason: expect.stringMatching(message) as string,
    });
    const { http, foundation } = kernel.kernel;
    const ofProbe = http.app.table
      .routes()
      .filter(({ owner }) => owner.plugin === "probe");
    expect(ofProbe).toEqual([]);
    expect(http.app.table.sockets().length).toBe(0);
    // Nothing but what a daemon without the plugin listens to.
    expect(foundation.bus.size).toBe(other.kernel.foundation.bus.size);
  },
);

test.each([
  [{ id: "Probe" }, /not a plugin id/],
  [{ id: "a".repeat(41) }, /not a plugin id/],
  [{ id: "kernel" }, /kernel's own/],
  [{ id: "auth" }, /kernel's own/],
  [{ mounts: ["/api/auth/more"] }, /kernel's own/],
  [{ mounts: ["/api"] }, /not under \/api/],
  [{ mounts: ["/"] }, /not under \/api/],
  [{ mounts: ["/pair"] }, /not under \/api/],
  [{ mounts: ["/api/taken"] }, /overlaps "taken"/],
  [{ mounts: ["/api/taken/deeper"] }, /overlaps "taken"/],
  [{ id: "taken" }, /another plugin has the id/],
  [
    { events: [defineEvent("taken.thing-done", "Done.")] },
    /belongs to "taken"/,
  ],
])(
  "what a definition claims of another's is refused: %o",
  async (claim, message) => {
    const taken = createProbe({
      id: "taken",
      events: [defineEvent("taken.thing-done", "Done.")],
    });
    await using kernel = await startTestKernel([taken, createProbe(claim)]);
    expect(statusOf(kernel, "taken").state).toBe("active");
    const other = kernel.kernel.plugins.list().at(-1);
    expect(other).toMatchObject({
      state: "failed",
      reason: expect.stringMatching(message) as string,
    });
  },
);

test("no plugin may own an address under which the kernel has an operation", async () => {
  await using kernel = await startTestKernel([]);
  const areas = kernel.kernel.http.app.table
    .routes()
    .flatMap(({ definition }) => /^\/api\/[^/]+/.exec(definition.path) ?? []);
  expect(areas.length).toBeGreaterThan(5);
  for (const mount of new Set(areas))
    expect(
      () => checkDefinition(createProbe({ mounts: [mount] }), []),
      mount,
    ).toThrow(/the kernel's own|not under/);
});
