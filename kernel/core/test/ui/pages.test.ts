import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { codeOf, startGated } from "../support/gated-kernel.ts";
import type { GatedKernel } from "../support/gated-kernel.ts";
import { sendRaw } from "../support/raw-http.ts";
import { INLINE_SCRIPT } from "../support/shell.ts";

const sha256 = (text: string) =>
  `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

/** Opens a page under another of our names. */
const visit = (
  kernel: GatedKernel,
  host: string,
  target: string,
  cookie?: string,
) =>
  sendRaw(kernel.port, {
    target,
    headers: [["host", host], ...(cookie ? [["cookie", cookie] as const] : [])],
  });

test("the one page is served at every address that can be a page, without a session", async () => {
  await using kernel = await startGated();
  for (const target of [
    "/",
    "/pair",
    "/agents",
    "/agents/agt_x/deep",
    "/settings/",
    "/a-b/c_d/~e",
  ]) {
    const answer = await kernel.send({ target });
    expect(answer.status, target).toBe(200);
    expect(answer.header("content-type"), target).toBe(
      "text/html; charset=utf-8",
    );
    expect(answer.body, target).toContain('<div id="app">');
    expect(answer.header("cache-control"), target).toBe("no-cache");
  }
});

test("what cannot be a page is not answered with one", async () => {
  await using kernel = await startGated();
  for (const target of [
    "/missing.js",
    "/_nuxt/missing.js",
    "/_nuxt",
    "/shared/x",
    "/plugins",
    "/ui/x",
    "/docs/x.js",
    "/200.html",
    "/200.HTML",
    "/200.html.br",
    "/a.b",
    "/agents/x:y",
    "/..%2fetc",
    "/%00",
    "/a//b",
    "/tailwind/theme.css",
    "/.git/config",
  ]) {
    const answer = await kernel.sendPaired({ target });
    expect(answer.status, target).toBe(404);
    expect(answer.header("content-type"), target).toBe(
      "application/problem+json",
    );
  }
});

test("its policy lets run what stands in it, and nothing else", async () => {
  await using kernel = await startGated();
  const { headers, header } = await kernel.send({ target: "/" });
  const policy = Object.fromEntries(
    (header("content-security-policy") ?? "")
      .split("; ")
      .map((part) => [part.split(" ")[0], part.split(" ").slice(1).join(" ")]),
  );
  expect(policy).toMatchObject({
    "default-src": "'none'",
    "script-src": `'self' ${sha256(INLINE_SCRIPT)}`,
    "connect-src": "'self'",
    "frame-ancestors": "'none'",
    "base-uri": "'none'",
    "object-src": "'none'",
    "form-action": "'self'",
    "img-src": "'self' data: blob:",
    "require-trusted-types-for": "'script'",
    "trusted-types": "vue gantry-sandboxed-page",
  });
  expect(Object.fromEntries(headers)).toMatchObject({
    "x-frame-options": "DENY",
  });
});

test("files are kept for ever if their name says what is in them, and asked for again if not", async () => {
  await using kernel = await startGated();
  const hashed = await kernel.send({ target: "/_nuxt/entry.abc123.js" });
  expect(hashed).toMatchObject({ status: 200, body: "export {};" });
  expect(hashed.header("content-type")).toBe("text/javascript; charset=utf-8");
  expect(hashed.header("cache-control")).toBe(
    "public, max-age=31536000, immutable",
  );
  const icon = await kernel.send({ target: "/favicon.svg" });
  expect(icon.header("content-type")).toBe("image/svg+xml");
  expect(icon.header("cache-control")).toBe("no-cache");
  const again = await kernel.send({
    target: "/favicon.svg",
    headers: [["if-none-match", icon.header("etag") ?? ""]],
  });
  expect(again.status).toBe(304);
  expect(again.body).toBe("");
});

test("a page under another loopback name moves to our own, path and all", async () => {
  await using kernel = await startGated();
  for (const name of ["localhost", "127.0.0.1", "[::1]"]) {
    for (const target of ["/", "/agents/x?tab=1", "/pair"]) {
      const answer = await visit(kernel, `${name}:${kernel.port}`, target);
      expect(answer.status, name + target).toBe(302);
      expect(answer.header("location")).toBe(kernel.origin + target);
    }
  }
  for (const target of [
    "//evil.example",
    "///evil.example/x",
    "/\\evil.example",
    "//evil.example/%2f..",
    "/https://evil.example",
  ]) {
    const answer = await visit(kernel, `localhost:${kernel.port}`, target);
    if (answer.status === 302)
      expect(new URL(answer.header("location") ?? "").origin, target).toBe(
        kernel.origin,
      );
    else expect([400, 404], target).toContain(answer.status);
  }
});

test("a client that is paired there stays, and so does one that cannot resolve our name", async () => {
  await using kernel = await startGated();
  const local = `127.0.0.1:${kernel.port}`;
  expect(await visit(kernel, local, "/", kernel.cookie)).toMatchObject({
    status: 200,
  });
  expect(await visit(kernel, local, "/", "gantry_session=wrong")).toMatchObject(
    { status: 302 },
  );
  expect(await visit(kernel, local, "/pair?here")).toMatchObject({
    status: 200,
  });
});

test("files and operations are not moved: programs may use any of our names", async () => {
  await using kernel = await startGated();
  const local = `127.0.0.1:${kernel.port}`;
  expect(await visit(kernel, local, "/favicon.svg")).toMatchObject({
    status: 200,
  });
  expect(await visit(kernel, local, "/api/probe", kernel.cookie)).toMatchObject(
    { status: 200 },
  );
});

test("a name that was added to the configuration has pages of its own", async () => {
  await using kernel = await startGated({
    config: {
      hosts: ["box.example.org"],
      publicUrl: "https://gantry.example.org",
    },
  });
  for (const host of ["box.example.org", "gantry.example.org"])
    expect(await visit(kernel, host, "/"), host).toMatchObject({ status: 200 });
});

test("without a shell there are no pages, and the operations are there all the same", async () => {
  await using kernel = await startGated({ shell: "/nowhere" });
  kernel.expectFault(/shell is not built/i);
  expect((await kernel.send({ target: "/" })).status).toBe(500);
  expect((await kernel.sendPaired({ target: "/api/probe" })).status).toBe(200);
  await using headless = await startGated({ shell: undefined });
  expect(codeOf(await headless.sendPaired({ target: "/" }))).toBe(
    "ROUTE_NOT_FOUND",
  );
});
