import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { fromNodeHandler, proxyRequest } from "h3";
import type { H3Event } from "h3";
import { expect, onTestFinished, test, vi } from "vitest";
import type {
  HandlerOptions,
  PluginContext,
  RequestHead,
} from "@gantry/plugin";
import { openRaw, renderRequest } from "@gantry/test-support/raw-http";
import { startProbe } from "../support/probe.ts";

/** What the kernel's head of a request has beside the contract. */
interface WithMessage {
  message: IncomingMessage;
}

const PAGE = "<!doctype html><script>fetch('/api/system')</script>";

async function startServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function startWith(
  handle: (event: H3Event) => unknown,
  options: HandlerOptions = { access: "session" },
) {
  const setup = (ctx: PluginContext) =>
    void ctx.handler("/api/probe/**", handle, options);
  return startProbe({ setup });
}

const ORIGIN_WIDE = {
  "set-cookie": ["gantry=stolen; Path=/", "b=1"],
  "clear-site-data": '"*"',
  "service-worker-allowed": "/",
  "access-control-allow-origin": "*",
};

test("a server behind a proxy cannot make its page a page of the daemon, nor act on its origin", async () => {
  const upstream = await startServer((_, response) => {
    response.writeHead(200, {
      ...ORIGIN_WIDE,
      "content-type": "text/html",
      "content-security-policy": "default-src *, sandbox allow-same-origin",
      "x-content-type-options": "off",
      "x-own": "kept",
      "cache-control": "max-age=9",
    });
    response.end(PAGE);
  });
  await using kernel = await startWith((event) =>
    proxyRequest(event, upstream),
  );
  const { headers, body } = await kernel.api.get("/api/probe/page");
  expect(body).toBe(PAGE);
  const policy = headers.get("content-security-policy");
  expect(policy).toBe("sandbox, default-src *, sandbox allow-same-origin");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("x-own")).toBe("kept");
  expect(headers.get("cache-control")).toBe("max-age=9");
  for (const name of Object.keys(ORIGIN_WIDE))
    expect(headers.get(name), name).toBeNull();
});

test.each([
  ["sandbox allow-scripts; default-src 'self'", "as it is"],
  ["default-src 'self'", "in the sandbox"],
  ["sandbox allow-same-origin; sandbox", "in the sandbox"],
  ["", "in the sandbox"],
])("a page with the policy %o is sent %s", async (policy, outcome) => {
  await using kernel = await startWith(
    fromNodeHandler((_request, response) => {
      response.removeHeader("x-content-type-options");
      response.removeHeader("content-security-policy");
      response.setHeader("set-cookie", "a=1");
      if (policy) response.setHeader("Content-Security-Policy", policy);
      response.end(PAGE);
    }),
  );
  const { headers } = await kernel.api.get("/api/probe/page");
  const sent = headers.get("content-security-policy") ?? "";
  if (outcome === "as it is") expect(sent).toBe(policy);
  else expect(sent.split(",")[0]).toBe("sandbox");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("set-cookie")).toBeNull();
});

test("a request that is forwarded has no credential of the daemon", async () => {
  const forwarded: IncomingMessage["headers"][] = [];
  const upstream = await startServer((request, response) => {
    forwarded.push(request.headers);
    response.end();
  });
  const forward = (event: H3Event) => proxyRequest(event, upstream);
  await using kernel = await startWith(forward);
  const headers = { "x-own": "kept" };
  await kernel.api.request("GET", "/api/probe/x", { headers });
  expect(forwarded).toMatchObject([{ "x-own": "kept" }]);
  expect(forwarded[0]).not.toHaveProperty("cookie");
  expect(forwarded[0]).not.toHaveProperty("authorization");
});

test("a handler with access of its own gets its credential, and no cookie", async () => {
  const seen = vi.fn((event: H3Event) => [
    event.req.headers.get("authorization"),
    event.req.headers.get("cookie"),
  ]);
  await using kernel = await startWith(seen, {
    access: "self",
    authorize: () => {},
  });
  const headers = { authorization: "Bearer own", cookie: "a=1" };
  const answer = await kernel.stranger.request("GET", "/api/probe/x", {
    headers,
  });
  expect(answer).toMatchObject({ body: ["Bearer own", null] });
});

test("a client that leaves while its credential is checked is not served", async () => {
  let admit = () => {};
  const admitted = new Promise<void>((resolve) => (admit = resolve));
  const authorize = vi.fn<(head: RequestHead) => Promise<void>>(() => admitted);
  const handle = vi.fn(() => "in");
  await using kernel = await startWith(handle, { access: "self", authorize });
  const { port, host } = new URL(kernel.url);
  const raw = await openRaw(Number(port));
  raw.write(
    renderRequest({ target: "/api/probe/x", headers: [["host", host]] }),
  );
  await vi.waitFor(() => expect(authorize).toHaveBeenCalledOnce());
  const [head] = authorize.mock.calls[0]!;
  const left = once((head as unknown as WithMessage).message.socket, "close");
  raw.socket.destroy();
  await left;
  admit();
  await kernel.api.get("/api/system");
  expect(kernel.kernel.http.connections.size).toBe(0);
  expect(handle).not.toHaveBeenCalled();
});
