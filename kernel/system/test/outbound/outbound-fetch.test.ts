import dns from "node:dns";
import { once } from "node:events";
import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { createOutboundFetch } from "@gantry/system/outbound/outbound-fetch";

/** A name after whose lookup nothing else gets its turn for twice the time that Node gives one of several addresses. */
const BUSY = "busy.test";
const BUSY_MS = 500;

/** Names that the test gives addresses; all others are the system's. */
const names = new Map<string, string[]>();

beforeAll(() => {
  const original = dns.lookup;
  const lookup = (
    host: string,
    options: dns.LookupAllOptions,
    callback: (fault: Error | null, found: dns.LookupAddress[]) => void,
  ) => {
    const addresses = names.get(host);
    if (!addresses) return original(host, options, callback);
    if (host === BUSY)
      setImmediate(() => {
        const end = performance.now() + BUSY_MS;
        while (performance.now() < end);
      });
    callback(
      null,
      addresses.map((address) => ({
        address,
        family: address.includes(":") ? 6 : 4,
      })),
    );
  };
  vi.spyOn(dns, "lookup").mockImplementation(lookup as typeof dns.lookup);
  syncBuiltinESMExports();
  return () => {
    vi.mocked(dns.lookup).mockRestore();
    syncBuiltinESMExports();
  };
});

async function serve(
  listener: RequestListener,
  host = "127.0.0.1",
): Promise<number> {
  const server = createServer(listener).listen(0, host);
  onTestFinished(() => void server.close().closeAllConnections());
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const refused = (reason: RegExp) =>
  expect.objectContaining({
    code: "OUTBOUND_REFUSED",
    message: expect.stringMatching(reason) as string,
  }) as Error;

const open = (ownPorts: number[] = []) =>
  createOutboundFetch({ allowPrivate: true, ownPorts: () => ownPorts });

test("the first of two addresses is reached although the daemon has no time for half a second", async () => {
  const port = await serve((_request, response) => response.end("first"));
  names.set(BUSY, ["127.0.0.1", "127.0.0.2"]);
  const answer = await open()(`http://${BUSY}:${port}/`);
  expect(await answer.text()).toBe("first");
});

test("it brings what a server answers", async () => {
  const port = await serve((request, response) => {
    response
      .writeHead(201, {
        "x-seen": `${request.method} ${request.headers["x-own"]}`,
      })
      .end("done");
  });
  const answer = await open()(`http://127.0.0.1:${port}/`, {
    method: "POST",
    headers: { "x-own": "1" },
    body: "text",
  });
  expect(answer.status).toBe(201);
  expect(answer.headers.get("x-seen")).toBe("POST 1");
  expect(await answer.text()).toBe("done");
});

test.each([
  "ftp://example.org/",
  "file:///etc/passwd",
  "data:text/plain,x",
  "unix:///run/docker.sock",
  "javascript:1",
  "gopher://x/",
  "//example.org",
  "/path",
  "",
  "http://",
  "http:// x",
])("%s is no address that it calls", async (target) => {
  await expect(open()(target)).rejects.toEqual(
    refused(/no http or https address/),
  );
});

test("an address with a user in it is refused", async () => {
  for (const target of [
    "http://user@example.org/",
    "http://user:secret@example.org/",
    "http://:secret@example.org/",
  ])
    await expect(open()(target)).rejects.toEqual(refused(/user name/));
});

test("the names that clouds have for their metadata are refused before they are looked up", async () => {
  for (const host of [
    "metadata.google.internal",
    "METADATA.google.internal.",
    "metadata.goog",
    "instance-data",
    "instance-data.ec2.internal",
    "metadata.tencentyun.com",
  ])
    await expect(
      open()(`http://${host}/`, { signal: AbortSignal.abort() }),
      host,
    ).rejects.toEqual(refused(/metadata/));
});

test("an address of metadata is refused in every spelling", async () => {
  for (const host of [
    "169.254.169.254",
    "2852039166",
    "0xa9fea9fe",
    "0251.0376.0251.0376",
    "169.254.43518",
    "[::ffff:169.254.169.254]",
    "[64:ff9b::a9fe:a9fe]",
    "[fe80::1]",
    "①⑥⑨.254.169.254",
  ])
    await expect(
      open()(`http://${host}/latest/meta-data`),
      host,
    ).rejects.toEqual(refused(/link-local|metadata/));
});

test("a name is as good as every address that it has", async () => {
  const handler = vi.fn<RequestListener>(
    (_, response) => void response.end("reached"),
  );
  const port = await serve(handler);
  names.set("fine.example", ["127.0.0.1"]);
  expect(await (await open()(`http://fine.example:${port}/`)).text()).toBe(
    "reached",
  );
  names.set("rebound.example", ["169.254.169.254"]);
  names.set("mixed.example", ["127.0.0.1", "169.254.169.254"]);
  for (const name of ["rebound.example", "mixed.example"])
    await expect(open()(`http://${name}:${port}/`), name).rejects.toEqual(
      refused(/link-local|metadata/),
    );
  names.set("fine.example", ["169.254.169.254"]);
  await expect(open()(`http://fine.example:${port}/`)).rejects.toEqual(
    refused(/link-local|metadata/),
  );
  expect(handler).toHaveBeenCalledOnce();
});

test("where private networks are not to be called, no name leads there", async () => {
  const handler = vi.fn<RequestListener>((_, response) => void response.end());
  const port = await serve(handler);
  const strict = createOutboundFetch({
    allowPrivate: false,
    ownPorts: () => [],
  });
  names.set("private.example", ["127.0.0.1"]);
  for (const host of [
    "127.0.0.1",
    "localhost",
    "[::1]",
    "0.0.0.0",
    "private.example",
  ])
    await expect(strict(`http://${host}:${port}/`), host).rejects.toEqual(
      refused(/private/),
    );
  expect(handler).not.toHaveBeenCalled();
});

test("the daemon never calls itself, under whatever name or address", async () => {
  const handler = vi.fn<RequestListener>((_, response) => void response.end());
  const port = await serve(handler, "::");
  const guarded = open([port]);
  names.set("own.example", ["127.0.0.1"]);
  names.set("own6.example", ["::1"]);
  const outside = Object.values(networkInterfaces())
    .flat()
    .filter((each) => each && !each.internal)
    .map((each) =>
      each?.family === "IPv6" ? `[${each.address}]` : (each?.address ?? ""),
    );
  const own = [
    "127.0.0.1",
    "127.0.0.2",
    "localhost",
    "gantry.localhost",
    "x.localhost",
    "LOCALHOST.",
    "[::1]",
    "0.0.0.0",
    "[::]",
    "[::ffff:127.0.0.1]",
    "0x7f.1",
    "own.example",
    "own6.example",
    ...outside.filter((host) => !host.startsWith("[fe80")),
  ];
  for (const host of own)
    await expect(guarded(`http://${host}:${port}/`), host).rejects.toEqual(
      refused(/daemon itself/),
    );
  expect(handler).not.toHaveBeenCalled();
  const other = await serve((_, response) => void response.end("other"));
  expect(await (await guarded(`http://127.0.0.1:${other}/`)).text()).toBe(
    "other",
  );
});

test("a redirect is an answer, and is not followed", async () => {
  const target = vi.fn<RequestListener>((_, response) => void response.end());
  const port = await serve(target);
  const redirecting = await serve(
    (_, response) =>
      void response
        .writeHead(302, { location: `http://127.0.0.1:${port}/` })
        .end(),
  );
  const answer = await open()(`http://127.0.0.1:${redirecting}/`);
  expect(answer.status).toBe(302);
  expect(answer.headers.get("location")).toBe(`http://127.0.0.1:${port}/`);
  expect(target).not.toHaveBeenCalled();
});

test("of an endless answer 64 KiB are read, and the connection ends", async () => {
  const closed = vi.fn<() => void>();
  const port = await serve((_, response) => {
    response.once("close", closed);
    const pump = () => {
      while (!response.destroyed && response.write("x".repeat(1000)));
      response.once("drain", pump);
    };
    pump();
  });
  const answer = await open()(`http://127.0.0.1:${port}/`);
  expect((await answer.arrayBuffer()).byteLength).toBe(64 * 1024);
  await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce());
});

test("a longer answer is cut without an error, and its content-length says how long it was", async () => {
  const body = "x".repeat(64 * 1024 + 1);
  const port = await serve((_, response) => void response.end(body));
  const answer = await open()(`http://127.0.0.1:${port}/`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-length")).toBe(String(body.length));
  expect((await answer.text()).length).toBe(64 * 1024);
});

test.each([
  ["never answers", () => {}],
  [
    "never ends",
    (response: { write(text: string): void }) => response.write("x"),
  ],
])("a server that %s is given up after 10 s", async (_, handle) => {
  const limit = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    expect(ms).toBe(10_000);
    return abort.signal;
  });
  onTestFinished(() => limit.mockRestore());
  const abort = new AbortController();
  const arrived = vi.fn<() => void>();
  const port = await serve((__, response) => {
    handle(response);
    arrived();
  });
  const answer = open()(`http://127.0.0.1:${port}/`);
  await vi.waitFor(() => expect(arrived).toHaveBeenCalledOnce());
  abort.abort(new DOMException("Too late", "TimeoutError"));
  await expect(answer).rejects.toMatchObject({ name: "TimeoutError" });
});

test("its caller may give up earlier", async () => {
  const port = await serve(() => {});
  const abort = new AbortController();
  const answer = open()(`http://127.0.0.1:${port}/`, { signal: abort.signal });
  abort.abort(new Error("Enough"));
  await expect(answer).rejects.toThrow("Enough");
});

test("a server that is not there, and a name that does not exist, are faults and no refusals", async () => {
  const port = await serve(() => {});
  await expect(
    open()(`http://127.0.0.1:${port === 1 ? 2 : 1}/`),
  ).rejects.not.toHaveProperty("code", "OUTBOUND_REFUSED");
  await expect(open()("http://nobody.invalid/")).rejects.not.toHaveProperty(
    "code",
    "OUTBOUND_REFUSED",
  );
});
