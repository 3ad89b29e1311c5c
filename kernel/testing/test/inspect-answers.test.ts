import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { defineErrors, definePlugin, defineRoute } from "@gantry/plugin";
import { expect, test } from "vitest";
import * as z from "zod";
import { findInside } from "../src/find-inside.ts";
import { startTestKernel } from "../src/index.ts";

const errors = defineErrors({
  PROBE_LOST: { status: 409, title: "Lost", detail: "It is lost: {reason}" },
  PROBE_GONE: { status: 404, title: "Gone", detail: "It is gone." },
});

/** A kernel with an operation that answers or throws what the test says. */
function startWith(handle: (text: string) => { reason: string | null }) {
  const probe = definePlugin({
    id: "probe",
    api: 1,
    summary: "Made for a test",
    mounts: ["/api/probe"],
    setup: (ctx) =>
      void ctx.route(
        defineRoute({
          method: "POST",
          path: "/api/probe",
          summary: "Made for a test",
          access: "session",
          body: z.strictObject({ text: z.string().default("") }),
          returns: z.object({ reason: z.string().nullable() }),
          errors: ["PROBE_LOST"],
          handle: ({ body }) => handle(body.text),
        }),
      ),
  });
  return startTestKernel([probe]);
}

test("a code that the operation does not declare is a fault in tests", async () => {
  const kernel = await startWith((text) => {
    throw text === "gone"
      ? errors.PROBE_GONE()
      : errors.PROBE_LOST({ reason: text });
  });
  const post = (text: string) => kernel.api.post("/api/probe", { text });
  expect(await post("lost")).toMatchObject({ status: 409 });
  expect(await post("gone")).toMatchObject({ status: 404 });
  await expect(kernel.stop()).rejects.toThrow(
    /POST \/api\/probe answered PROBE_GONE, which it does not declare/,
  );
});

test("what the kernel answers at any operation need not be declared", async () => {
  await using kernel = await startWith(() => ({ reason: null }));
  const post = (body: object, headers?: Record<string, string>) =>
    kernel.api.post("/api/probe", body, headers);
  expect((await post({ more: 1 })).status).toBe(400);
  expect((await post({}, { "if-match": "x" })).status).toBe(400);
  expect((await post({}, { origin: "null" })).status).toBe(403);
  const own = { origin: kernel.url };
  expect((await kernel.stranger.post("/api/probe", {}, own)).status).toBe(401);
  expect((await post({})).status).toBe(200);
});

test.each([
  ["an errno", () => "ENOENT: no such file"],
  ["a path of the home", (home: string) => `it is in ${home}/data/x`],
  ["a stack", () => "at run\n    at answer (file.ts:1:2)"],
])("an error or a reason with %s is a fault in tests", async (_, make) => {
  const throwing = await startWith(() => {
    throw errors.PROBE_LOST({ reason: make(throwing.home) });
  });
  expect((await throwing.api.post("/api/probe", {})).status).toBe(409);
  await expect(throwing.stop()).rejects.toThrow(/answered PROBE_LOST with/);
  const answering = await startWith(() => ({ reason: make(answering.home) }));
  expect((await answering.api.post("/api/probe", {})).status).toBe(200);
  await expect(answering.stop()).rejects.toThrow(/gave a reason with/);
});

test("an error may repeat a path that the client sent", async () => {
  const kernel = await startWith((text) => {
    throw errors.PROBE_LOST({ reason: text });
  });
  const text = `${kernel.home}/data/x`;
  expect((await kernel.api.post("/api/probe", { text })).status).toBe(409);
  await kernel.stop();
});

const HOME = "/srv/gantry";

test.each([
  ["ENOENT: no such file", /errno ENOENT/],
  ["spawn x EACCES", /errno EACCES/],
  ["getaddrinfo ENOTFOUND host", /errno ENOTFOUND/],
  ["it failed\n    at run (/x)", /stack/],
  ["Cannot find node:fs", /stack/],
  ["boom (app.mjs:10:2)", /stack/],
  [`in ${HOME}/data/agents/x`, /path/],
  [`in ${HOME}`, /path/],
  [join(homedir(), ".ssh/id"), /path/],
  ["see /etc/passwd.", /path/],
  ['open "/usr/lib/x"', /path/],
])("%j shows internals", (text, what) => {
  expect(findInside(text, HOME)).toMatch(what);
});

test.each([
  "There is no agent agt_x; list them with GET /api/agents/{id}/tasks.",
  "The EDITOR and the END of it; EVENTS too",
  "https://example.org/a/b is not called",
  "a/b/c is outside the folder",
  `${HOME}/work/thing/file.ts is gone`,
  join(tmpdir(), "workspace/file.txt"),
  "The process ended with code 1 and said: Error: ENOENT /etc/x\n    at x",
  "12/3/4 and and/or",
])("%j does not", (text) => {
  expect(findInside(text, HOME)).toBeUndefined();
});

test("only the very path that was sent may be repeated", () => {
  const text = "/etc/passwd is no folder";
  expect(findInside(text, HOME, "cwd\n/etc/passwd")).toBeUndefined();
  expect(findInside(text, HOME, "cwd\n/etc")).toMatch(/path/);
});
