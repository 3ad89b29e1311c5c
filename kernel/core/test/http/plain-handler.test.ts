import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HTTPError, fromNodeHandler, proxy, readBody } from "h3";
import type { H3Event } from "h3";
import { expect, onTestFinished, test, vi } from "vitest";
import { defineErrors } from "@gantry/plugin";
import type { HandlerOptions, PluginContext } from "@gantry/plugin";
import { serveFrom } from "@gantry/http/static-folder";
import { openRaw, renderRequest } from "@gantry/test-support/raw-http";
import { hello, startProbe } from "../support/probe.ts";

const errors = defineErrors({
  PROBE_CLOSED: { status: 409, title: "Closed", detail: "It is closed." },
  PROBE_UNPAIRED: { status: 401, title: "Unpaired", detail: "Not you." },
});
const BELOW = "/api/probe/**";

function startWith(
  handle: (event: H3Event) => unknown,
  options: Partial<HandlerOptions> = {},
) {
  const setup = (ctx: PluginContext) =>
    void ctx.handler(BELOW, handle, { access: "session", ...options });
  return startProbe({ setup });
}

test("a value that a handler returns is sent with the daemon's headers", async () => {
  await using kernel = await startWith(({ url, context }) => ({
    path: url.pathname,
    rest: context.params?._,
  }));
  const { status, body, headers } = await kernel.api.get("/api/probe/a/b%20c");
  expect({ status, body }).toEqual({
    status: 200,
    body: { path: "/api/probe/a/b%20c", rest: "a/b%20c" },
  });
  expect(Object.fromEntries(headers)).toMatchObject({
    "x-content-type-options": "nosniff",
    "x-request-id": expect.stringMatching(/^req_/) as string,
    "cache-control": "no-store",
    "content-security-policy": "sandbox",
  });
});

test("it proxies a request with its body, and what the other side sends", async () => {
  const upstream = createServer((request, response) => {
    response.setHeader("x-upstream", `${request.method} ${request.url}`);
    request.pipe(response);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void upstream.close());
  await once(upstream, "listening");
  const { port } = upstream.address() as AddressInfo;
  await using kernel = await startWith((event) =>
    proxy(event, `http://127.0.0.1:${port}/there`, {
      fetchOptions: {
        method: event.req.method,
        body: event.req.body,
        duplex: "half",
      } as RequestInit,
    }),
  );
  const answer = await kernel.api.post("/api/probe/x", { a: 1 });
  expect(answer).toMatchObject({ status: 200, body: '{"a":1}' });
  expect(answer.headers.get("x-upstream")).toBe("POST /there");
});

test("it serves files, and sets headers of its own", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gantry-handler-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "a.txt"), "A file");
  await using kernel = await startWith((event) => {
    const path = event.url.pathname.replace("/api/probe", "");
    return serveFrom(folder, path, event, { immutable: true });
  });
  const file = await kernel.api.get("/api/probe/a.txt");
  expect(file.body).toBe("A file");
  expect(file.headers.get("cache-control")).toContain("immutable");
});

test("an answer that streams is cut off when its session ends, and when the plugin stops", async () => {
  await using kernel = await startWith(
    () =>
      new ReadableStream({
        start: (controller) => controller.enqueue(new Uint8Array([65])),
      }),
  );
  const open = async () => {
    const { client, sessionId } = await kernel.pairAs("Reader");
    const answer = await client.open("/api/probe/stream");
    const reader = answer.body!.getReader();
    expect((await reader.read()).value).toEqual(new Uint8Array([65]));
    return { cut: expect(reader.read()).rejects.toThrow(), sessionId };
  };
  const revoked = await open();
  await kernel.api.delete(`/api/auth/sessions/${revoked.sessionId}`);
  await revoked.cut;
  const stopped = await open();
  await kernel.kernel.plugins.stop("probe");
  await stopped.cut;
  expect(kernel.kernel.http.connections.size).toBe(0);
});

test("what a handler throws is answered by its kind, and its own words stay in the log", async () => {
  const thrown: Record<string, () => never> = {
    mine: () => {
      throw errors.PROBE_CLOSED();
    },
    h3: () => {
      throw new HTTPError({ status: 418, message: "A teapot" });
    },
    fault: () => {
      throw new Error("secret");
    },
  };
  const node = fromNodeHandler(() => {
    throw new Error("secret of Node");
  });
  await using kernel = await startWith((event) => {
    const name = event.url.pathname.split("/").at(-1) ?? "";
    return name === "node" ? node(event) : thrown[name]?.();
  });
  kernel.expectFault(/Request failed/);
  const ask = (name: string) => kernel.api.get(`/api/probe/${name}`);
  expect(await ask("mine")).toMatchObject({
    status: 409,
    body: { code: "PROBE_CLOSED" },
  });
  const teapot = await ask("h3");
  expect(teapot).toMatchObject({ status: 418, body: { message: "A teapot" } });
  expect(teapot.headers.get("x-content-type-options")).toBe("nosniff");
  for (const name of ["fault", "node"]) {
    const { status, body } = await ask(name);
    expect(status, name).toBe(500);
    expect(body, name).toMatchObject({ code: "KERNEL_FAULT" });
    expect(JSON.stringify(body), name).not.toContain("secret");
  }
});

test("the gate, the methods and the size of the body are checked before it runs", async () => {
  const handle = vi.fn((event: H3Event) => readBody(event));
  await using kernel = await startWith(handle, {
    methods: ["GET", "POST"],
    maxBody: 10,
  });
  const { api, stranger } = kernel;
  const at = "/api/probe/x";
  const origin = { origin: "https://evil.example" };
  expect((await stranger.get(at)).body).toMatchObject({
    code: "AUTH_NOT_PAIRED",
  });
  for (const method of ["GET", "POST"])
    expect(await api.request(method, at, { headers: origin })).toMatchObject({
      body: { code: "ORIGIN_REFUSED" },
    });
  const put = await api.put(at, {});
  expect(put).toMatchObject({ status: 405 });
  expect(put.headers.get("allow")).toBe("GET, HEAD, POST");
  expect(await api.post(at, { long: "0123456789" })).toMatchObject({
    status: 413,
    body: { code: "BODY_TOO_LARGE" },
  });
  expect(handle).not.toHaveBeenCalled();
  expect(await api.post(at, { a: 1 })).toMatchObject({ body: { a: 1 } });
});

test("a body without an announced length is cut off at the limit", async () => {
  await using kernel = await startWith((event) => readBody(event), {
    maxBody: 10,
    access: "self",
    authorize: () => {},
  });
  const { port, host } = new URL(kernel.url);
  const raw = await openRaw(Number(port));
  raw.write(
    renderRequest({
      method: "POST",
      target: "/api/probe/x",
      headers: [
        ["host", host],
        ["transfer-encoding", "chunked"],
      ],
      body: `20\r\n${"x".repeat(32)}\r\n`,
    }),
  );
  expect((await raw.answer()).status).toBe(413);
});

test("with access of its own it decides by itself who may call", async () => {
  await using kernel = await startWith(() => "in", {
    access: "self",
    authorize(head) {
      if (head.header("x-key") !== "right") throw errors.PROBE_UNPAIRED();
    },
  });
  const ask = (key: string) =>
    kernel.stranger.request("GET", "/api/probe/x", {
      headers: { "x-key": key },
    });
  expect(await ask("wrong")).toMatchObject({ status: 401 });
  expect(await ask("right")).toMatchObject({ status: 200, body: "in" });
});

test("an unread body ends the connection after the answer", async () => {
  await using kernel = await startWith(() => "early", {
    access: "self",
    authorize: () => {},
  });
  const { port, host } = new URL(kernel.url);
  const raw = await openRaw(Number(port));
  raw.write(
    renderRequest({
      method: "POST",
      target: "/api/probe/x",
      headers: [
        ["host", host],
        ["content-length", "900000"],
      ],
      body: "begin",
    }),
  );
  expect(await raw.answer()).toMatchObject({ status: 200, body: "early" });
  await raw.closed;
});

test("a path is inside the mounts and taken once; a route with a more precise one goes first", async () => {
  await using kernel = await startWith(() => "handler");
  const { ctx, api } = kernel;
  const handle = () => "second";
  const session = { access: "session" } as const;
  expect(() => ctx.handler("/api/other/**", handle, session)).toThrow(
    /outside the mounts/,
  );
  expect(() => ctx.handler(BELOW, handle, session)).toThrow(/already/);
  expect(() => ctx.handler("/api/probe/y", handle, {} as never)).toThrow(
    /must say its access/,
  );
  const removeRoute = ctx.route(hello("/api/probe/exact"));
  expect(() => ctx.handler("/api/probe/exact", handle, session)).toThrow(
    /already/,
  );
  expect(await api.get("/api/probe/exact")).toMatchObject({
    body: { ok: true },
  });
  removeRoute();
  expect(await api.get("/api/probe/exact")).toMatchObject({ body: "handler" });
});

test("once its plugin is stopped, nothing of it can be called", async () => {
  let release = () => {};
  const handle = vi.fn(
    () => new Promise<string>((resolve) => (release = () => resolve("done"))),
  );
  await using kernel = await startWith(handle);
  const first = kernel.api.get("/api/probe/x");
  await vi.waitFor(() => expect(handle).toHaveBeenCalledOnce());
  const stopping = kernel.kernel.plugins.stop("probe");
  await vi.waitFor(() => expect(kernel.ctx.signal.aborted).toBe(true));
  expect((await kernel.api.get("/api/probe/x")).status).toBe(503);
  release();
  expect(await first).toMatchObject({ status: 200, body: "done" });
  await stopping;
  expect((await kernel.api.get("/api/probe/x")).status).toBe(503);
  expect(handle).toHaveBeenCalledOnce();
  expect(() =>
    kernel.ctx.handler(BELOW, handle, { access: "session" }),
  ).toThrow(expect.objectContaining({ code: "PLUGIN_STOPPED" }));
});
