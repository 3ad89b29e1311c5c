import { once } from "node:events";
import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { HTTPError, proxyRequest, serveStatic } from "h3";
import { expect, onTestFinished, test } from "vitest";
import { defineErrors } from "@gantry/plugin";
import type { HandlerDefinition } from "@gantry/plugin";
import type { TestKernel } from "../../../testing/src/index.ts";
import { startProbe } from "../support/probe.ts";
import { temporaryFolder } from "@gantry/build/testing";

const probeErrors = defineErrors({
  PROBE_EMPTY: { status: 409, title: "Empty", detail: "There is nothing." },
});

/** A kernel with a handler for all below `/api/probe`, and a way to ask it as a paired page does. */
async function startWith(
  handle: HandlerDefinition["handle"],
  own: Partial<HandlerDefinition> = {},
) {
  const kernel = await startProbe({
    setup: (ctx) =>
      void ctx.handler({
        path: "/api/probe/{name}/**",
        summary: "Made for a test",
        access: "session",
        handle,
        ...own,
      }),
  });
  const { cookie, sessionId } = await kernel.pairAs("Page");
  const ask = (path: string, { headers, ...init }: RequestInit = {}) =>
    fetch(kernel.url + path, {
      ...init,
      headers: { cookie, origin: kernel.url, ...headers },
    });
  return Object.assign(kernel, { ask, sessionId });
}

/** Handlers that are registered by the probe. */
const handlersOf = ({ kernel }: TestKernel) =>
  kernel.http.app.table
    .handlers()
    .filter(({ owner }) => owner.plugin === "probe");

test("a proxy of h3 passes method, path, body and answer on", async () => {
  const server = createServer((request, response) => {
    response.setHeader("x-own", `${request.method} ${request.url}`);
    request.pipe(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  await using kernel = await startWith((event) =>
    proxyRequest(event, `http://127.0.0.1:${port}${event.url.pathname}`),
  );
  const body = "some bytes";
  const answer = await kernel.ask("/api/probe/one/two", {
    method: "PUT",
    body,
  });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("x-own")).toBe("PUT /api/probe/one/two");
  expect(await answer.text()).toBe(body);
});

test("a folder is served by h3, with the headers that keep a page among it powerless", async () => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "docs"));
  await writeFile(join(folder, "docs/a.html"), "<script>1</script>");
  await using kernel = await startWith((event) =>
    serveStatic(event, {
      getMeta: async (id) => {
        const { size } = await stat(join(folder, id.slice(10)));
        return { size, type: "text/html" };
      },
      getContents: (id) => readFile(join(folder, id.slice(10))),
    }),
  );
  const answer = await kernel.ask("/api/probe/docs/a.html");
  expect(await answer.text()).toBe("<script>1</script>");
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "text/html",
    "content-security-policy": "sandbox",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": expect.stringMatching(/^req_/) as string,
  });
});

test("its own headers take the place of those", async () => {
  await using kernel = await startWith((event) => {
    event.res.headers.set("content-security-policy", "default-src 'self'");
    event.res.headers.set("cache-control", "max-age=60");
    return { params: event.context.params };
  });
  const answer = await kernel.ask("/api/probe/one/two/three");
  expect(await answer.json()).toMatchObject({ params: { name: "one" } });
  expect(answer.headers.get("content-security-policy")).toBe(
    "default-src 'self'",
  );
  expect(answer.headers.get("cache-control")).toBe("max-age=60");
});

test("a method that it does not name is refused, and where it gives nothing is nothing", async () => {
  await using kernel = await startWith(
    (event, { caller }) =>
      event.url.pathname.endsWith("none") ? undefined : { caller },
    { methods: ["GET", "PUT"] },
  );
  const ask = async (path: string, method: string) => {
    const answer = await kernel.ask(path, { method });
    return [answer.status, answer.headers.get("allow")];
  };
  const path = "/api/probe/one/two";
  for (const method of ["GET", "HEAD", "PUT"])
    expect(await ask(path, method), method).toEqual([200, null]);
  for (const method of ["POST", "DELETE", "OPTIONS"])
    expect(await ask(path, method), method).toEqual([405, "GET, HEAD, PUT"]);
  expect(await (await kernel.ask(path)).json()).toMatchObject({
    caller: { sessionId: kernel.sessionId },
  });
  const nothing = await kernel.ask("/api/probe/one/none");
  expect(nothing.status).toBe(404);
  expect(await nothing.json()).toMatchObject({ code: "ROUTE_NOT_FOUND" });
});

test("no request reaches it past the gate, by any method", async () => {
  let calls = 0;
  await using kernel = await startWith(() => String(calls++));
  const path = "/api/probe/one/two";
  for (const method of ["GET", "HEAD", "POST", "DELETE", "OPTIONS"]) {
    const stranger = await fetch(kernel.url + path, { method });
    // Without an origin, a browser is not told more than that.
    expect([401, 403], method).toContain(stranger.status);
  }
  const headers = { origin: "http://evil.example" };
  const foreign = await kernel.ask(path, { method: "POST", headers });
  expect(await foreign.json()).toMatchObject({ code: "ORIGIN_REFUSED" });
  expect(calls).toBe(0);
  expect(await (await kernel.ask(path)).text()).toBe("0");
});

test("operations below it come first, with their own methods", async () => {
  await using kernel = await startProbe({
    setup(ctx) {
      ctx.handler({
        path: "/api/probe/**",
        summary: "All else",
        access: "session",
        handle: () => ({ from: "handler" }),
      });
      ctx.route({
        method: "GET",
        path: "/api/probe/{id}",
        summary: "One",
        access: "session",
        returns: "bytes",
        handle: () => ({
          kind: "bytes",
          mediaType: "text/plain",
          body: "operation",
        }),
      });
    },
  });
  const { api } = kernel;
  expect((await api.get("/api/probe/one")).body).toBe("operation");
  expect((await api.post("/api/probe/one", {})).status).toBe(405);
  for (const path of ["/api/probe", "/api/probe/one/two"])
    expect((await api.get(path)).body).toEqual({ from: "handler" });
});

test("errors of h3 are answered as h3 does, those of a table as problems, and faults tell nothing", async () => {
  await using kernel = await startWith((event) => {
    const what = event.url.searchParams.get("what");
    if (what === "http") throw new HTTPError({ status: 418, message: "Tea" });
    if (what === "table") throw probeErrors.PROBE_EMPTY();
    throw new Error("The secret is 42.");
  });
  kernel.expectFault(/The secret is 42/);
  const ask = async (what: string) => {
    const answer = await kernel.ask(`/api/probe/a/b?what=${what}`);
    return [answer.status, await answer.json()];
  };
  expect(await ask("http")).toMatchObject([418, { message: "Tea" }]);
  expect(await ask("table")).toMatchObject([409, { code: "PROBE_EMPTY" }]);
  const [status, body] = await ask("fault");
  expect(status).toBe(500);
  expect(body).toMatchObject({ code: "KERNEL_FAULT" });
  expect(JSON.stringify(body)).not.toContain("42");
  expect(kernel.log).toContainEqual(
    expect.objectContaining({ message: "Request failed", plugin: "probe" }),
  );
});

test("a body over its limit is refused, announced or not", async () => {
  await using kernel = await startWith(
    async (event) => {
      const text = await event.req.text();
      return { length: text.length };
    },
    { maxBody: 10 },
  );
  const put = async (body: string | ReadableStream) => {
    const init = { method: "PUT", body, duplex: "half" } as RequestInit;
    const answer = await kernel.ask("/api/probe/a/b", init);
    return [answer.status, await answer.json()];
  };
  const stream = (text: string) => new Blob([text]).stream();
  expect(await put("0123456789")).toEqual([200, { length: 10 }]);
  expect(await put(stream("0123456789"))).toEqual([200, { length: 10 }]);
  expect((await put("0123456789a"))[0]).toBe(413);
  expect((await put(stream("0123456789a")))[0]).toBe(413);
});

test("what it still sends ends with the session, and with the plugin", async () => {
  const signals: AbortSignal[] = [];
  await using kernel = await startWith((event) => {
    signals.push(event.req.signal);
    return new ReadableStream({
      start: (controller) => controller.enqueue(Buffer.from("first")),
    });
  });
  const open = async () => {
    const answer = await kernel.ask("/api/probe/a/b");
    const reader = answer.body!.getReader();
    expect(String(Buffer.from((await reader.read()).value!))).toBe("first");
    return reader;
  };
  const revoked = await open();
  await kernel.api.request("DELETE", `/api/auth/sessions/${kernel.sessionId}`);
  await expect(revoked.read()).rejects.toThrow();
  expect(signals[0]?.aborted).toBe(true);
});

test("its stop cuts off what it still sends, and its address says that it is away", async () => {
  await using kernel = await startWith(
    () =>
      new ReadableStream({
        start: (controller) => controller.enqueue(Buffer.from("first")),
      }),
  );
  const answer = await kernel.ask("/api/probe/a/b");
  const reader = answer.body!.getReader();
  await reader.read();
  await kernel.kernel.plugins.stop("probe");
  await expect(reader.read()).rejects.toThrow();
  const away = await kernel.ask("/api/probe/a/b");
  expect(await away.json()).toMatchObject({ code: "PLUGIN_UNAVAILABLE" });
  expect(handlersOf(kernel)).toEqual([]);
});

const handler = {
  path: "/api/probe/files/**",
  summary: "Files",
  access: "session",
  handle: () => "",
} as const;

test.each([
  ["outside its mounts", [{ ...handler, path: "/api/other/**" }], /outside/],
  ["at a taken address", [handler, handler], /already registered/],
  ["for all", [{ ...handler, access: "self" as never }], /its access/],
  ["for any client", [{ ...handler, access: "public" as const }], /its access/],
])("a handler %s is a mistake", async (_, definitions, message) => {
  await using kernel = await startProbe({
    setup: (ctx) => definitions.forEach((one) => ctx.handler(one)),
  });
  kernel.expectFault(message);
  const [status] = kernel.kernel.plugins.list();
  expect(status?.reason).toMatch(message);
  expect(handlersOf(kernel)).toEqual([]);
});
