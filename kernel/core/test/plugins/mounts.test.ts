import { defineService } from "@gantry/plugin";
import type { PluginDefinition } from "@gantry/plugin";
import fc from "fast-check";
import { expect, test } from "vitest";
import { startTestKernel } from "../../../testing/src/index.ts";
import { checkMounts, serves } from "../../src/plugins/mounts.ts";
import { createProbe, hello, statusOf } from "../support/probe.ts";

const Notes = defineService<object>("notes.directory@1");
const COMMENTS = "/api/notes/{id}/comments";

function createOwner(definition: Partial<PluginDefinition> = {}) {
  return createProbe({
    id: "notes",
    delegates: [COMMENTS],
    provides: [Notes],
    setup(ctx) {
      ctx.provide(Notes, {});
      ctx.route(hello("/api/notes/{id}"));
    },
    ...definition,
  });
}

function createGuest(definition: Partial<PluginDefinition> = {}) {
  return createProbe({
    id: "comments",
    mounts: [COMMENTS],
    needs: { notes: Notes },
    setup(ctx) {
      ctx.route(hello(COMMENTS));
      ctx.route(hello(`${COMMENTS}/{comment}`));
    },
    ...definition,
  });
}

test.each([
  ["after it", [createOwner(), createGuest()]],
  ["before it", [createGuest(), createOwner()]],
])("a plugin serves a delegated path, loaded %s", async (_, plugins) => {
  await using kernel = await startTestKernel(plugins);
  for (const path of ["", "/comments", "/comments/first"]) {
    const { status } = await kernel.api.get(`/api/notes/one${path}`);
    expect(status, path).toBe(200);
  }
});

test("a delegated path answers 503 while its plugin is stopped, and the others go on", async () => {
  await using kernel = await startTestKernel([createOwner(), createGuest()]);
  const { plugins } = kernel.kernel;
  await plugins.stop("comments");
  expect(await kernel.api.get("/api/notes/one/comments/first")).toMatchObject({
    status: 503,
    body: { code: "PLUGIN_UNAVAILABLE", detail: /"comments" is waiting/ },
  });
  expect(await kernel.api.get("/api/notes/one")).toMatchObject({ status: 200 });
  expect(await kernel.api.get("/api/notes/one/other")).toMatchObject({
    status: 404,
  });
  await plugins.stop("notes");
  expect(await kernel.api.get("/api/notes/one/comments")).toMatchObject({
    status: 503,
    body: { detail: /"notes" is waiting/ },
  });
});

test.each([
  [
    "is not delegated",
    [createOwner({ delegates: [] }), createGuest()],
    /comments overlaps "notes", which does not delegate it/,
  ],
  [
    "is not delegated by a plugin that is loaded later",
    [createGuest({ needs: {} }), createOwner({ delegates: [] })],
    /comments overlaps "notes", which does not delegate it/,
  ],
  [
    "belongs to no plugin",
    [createGuest({ needs: {} })],
    /is below no path of another plugin/,
  ],
  [
    "is registered by the plugin that delegates it too",
    [
      createOwner({ setup: (ctx) => void ctx.route(hello(COMMENTS)) }),
      createGuest(),
    ],
    /"notes" delegates \/api\/notes\/{id}\/comments/,
  ],
  [
    "is taken by another plugin",
    [
      createOwner(),
      createGuest(),
      createGuest({ id: "more", mounts: [`/api/notes/{note}/comments`] }),
    ],
    /overlaps "comments"/,
  ],
] as const)(
  "a mount below another plugin's that %s is refused",
  async (_, plugins, message) => {
    await using kernel = await startTestKernel(plugins);
    kernel.expectFault(message);
    const failed = kernel.kernel.plugins
      .list()
      .filter(({ state }) => state === "failed");
    expect(failed).toMatchObject([{ reason: expect.stringMatching(message) }]);
  },
);

test("a path beside the delegated one is outside the mounts", async () => {
  const setup: PluginDefinition["setup"] = (ctx) =>
    void ctx.route(hello("/api/notes/{id}/tags"));
  await using kernel = await startTestKernel([
    createOwner(),
    createGuest({ setup }),
  ]);
  kernel.expectFault(/outside the mounts/);
  expect(statusOf(kernel, "comments")).toMatchObject({ state: "failed" });
  expect(statusOf(kernel, "notes")).toMatchObject({ state: "active" });
});

test.each([
  "/api/notes/{first/second}/comments",
  "/api/notes/{id}/comments/:comment",
  "/api/notes/{id}/comments{/more}?",
  "/api/notes/{id}/comments/*",
  "/api/notes/{id}/comments/(.*)",
  "/api/notes/{id}/comments/**/more",
])("a path that only the router could read is refused: %s", async (path) => {
  const setup: PluginDefinition["setup"] = (ctx) => void ctx.route(hello(path));
  await using kernel = await startTestKernel([
    createOwner(),
    createGuest({ setup }),
  ]);
  const message = /is not a path/;
  kernel.expectFault(message);
  expect(statusOf(kernel, "comments")).toMatchObject({
    state: "failed",
    reason: expect.stringMatching(message) as string,
  });
  const inside = "/api/notes/first/second/comments";
  expect(await kernel.api.get(inside)).toMatchObject({ status: 404 });
});

test.each([
  [{ mounts: ["/api/{id}/notes"] }, /not under \/api/],
  [{ mounts: ["/api/notes/{id}"] }, /not under \/api/],
  [{ mounts: ["/api/notes/{}/comments"] }, /not under \/api/],
  [{ delegates: ["/api/probe"] }, /not below its mounts/],
  [{ delegates: ["/api/other/{id}/part"] }, /not below its mounts/],
  [{ delegates: ["/api/probe/{id}/"] }, /is not one/],
])("a definition that says %o is refused", (claim, message) => {
  expect(() => checkMounts(createProbe(claim), [], "home")).toThrow(message);
});

test("a mount serves what has its parts, whatever stands for its parameters", () => {
  const part = fc.stringMatching(/^[a-z0-9-]{1,8}$/);
  const parts = fc.array(part, { minLength: 1, maxLength: 5 });
  const property = fc.property(parts, parts, part, (mount, rest, value) => {
    const path = ["/api", ...mount].join("/");
    const pattern = `${path}/{id}/end`;
    expect(serves(path, [path, ...rest].join("/"))).toBe(true);
    expect(serves(pattern, `${path}/${value}/end`)).toBe(true);
    expect(serves(pattern, [path, value, "end", ...rest].join("/"))).toBe(true);
    expect(serves(pattern, `${path}/${value}/ends`)).toBe(false);
    expect(serves(pattern, `${path}//end`)).toBe(false);
    expect(serves(pattern, `${path}/${value}`)).toBe(false);
    expect(serves(path, `${path}s`)).toBe(false);
  });
  fc.assert(property);
});
