import { expect, test, vi } from "vitest";
import { bytes, defineRoute, withHeaders } from "@gantry/plugin";
import type { RouteRequest } from "@gantry/plugin";
import { okAnswer } from "@gantry/plugin/zod";
import * as z from "zod";
import { startProbe } from "../support/probe.ts";
import type { ProbedKernel } from "../support/probe.ts";
import { openRaw, renderRequest } from "../support/raw-http.ts";

const common = {
  path: "/api/probe",
  summary: "Made for a test",
  access: "session",
} as const;

function startWith(
  handle: (request: RouteRequest) => { ok: true } | Promise<{ ok: true }>,
): Promise<ProbedKernel> {
  const route = defineRoute({
    ...common,
    method: "GET",
    returns: okAnswer,
    query: z.strictObject({ a: z.string().optional() }),
    handle,
  });
  return startProbe({ setup: (ctx) => void ctx.route(route) });
}

test("a handler gets what was checked, and who calls", async () => {
  const seen: RouteRequest[] = [];
  await using kernel = await startWith(
    (request) => (seen.push(request), { ok: true }),
  );
  await kernel.api.request("GET", "/api/probe?a=%2F", {
    headers: { "if-match": '"7"', "x-own": "1" },
  });
  const { client, sessionId } = await kernel.pairAs("Me");
  await client.get("/api/probe");
  expect(seen[0]).toMatchObject({
    method: "GET",
    query: { a: "/" },
    ifMatch: 7,
    remoteAddress: "127.0.0.1",
  });
  expect(seen[0]?.header("x-own")).toBe("1");
  expect(seen[0]?.headerCount("x-own")).toBe(1);
  expect(seen[0]?.search.get("a")).toBe("/");
  expect(seen[1]).toMatchObject({
    caller: { sessionId, kind: "browser" },
    ifMatch: undefined,
  });
});

test("a revision is one number in quotes", async () => {
  const seen: (number | undefined)[] = [];
  await using kernel = await startWith(
    ({ ifMatch }) => (seen.push(ifMatch), { ok: true }),
  );
  const ask = (value: string) =>
    kernel.api.request("GET", "/api/probe", { headers: { "if-match": value } });
  for (const value of ['"1"', '"999999999999999"', "*"])
    expect((await ask(value)).status, value).toBe(200);
  expect(seen).toEqual([1, 999999999999999, undefined]);
  for (const value of [
    "1",
    'W/"1"',
    '"a"',
    '"1", "2"',
    '"-1"',
    '""',
    '"1e3"',
    '"1"x',
    `"${"9".repeat(16)}"`,
  ])
    expect(await ask(value), value).toMatchObject({
      status: 400,
      body: { code: "IF_MATCH_INVALID" },
    });
});

test("a handler hears that its client has left, whenever it begins to listen", async () => {
  const aborted = vi.fn<(when: string) => void>();
  let carryOn = () => {};
  await using kernel = await startWith(async (request) => {
    request.signal.addEventListener("abort", () => aborted("at once"));
    await new Promise<void>((resolve) => (carryOn = resolve));
    return { ok: true };
  });
  const late: RouteRequest[] = [];
  kernel.ctx.route(
    defineRoute({
      ...common,
      method: "POST",
      returns: okAnswer,
      async handle(request) {
        late.push(request as RouteRequest);
        await new Promise<void>((resolve) => (carryOn = resolve));
        if (request.signal.aborted) aborted("late");
        return { ok: true as const };
      },
    }),
  );
  const { cookie } = await kernel.pairAs("Raw");
  const headers = [
    ["host", `127.0.0.1:${kernel.kernel.port}`],
    ["cookie", cookie],
  ] as const;
  for (const [method, when] of [
    ["GET", "at once"],
    ["POST", "late"],
  ] as const) {
    carryOn = () => {};
    const connection = await openRaw(kernel.kernel.port);
    const before = carryOn;
    connection.write(renderRequest({ method, target: "/api/probe", headers }));
    await vi.waitFor(() => expect(carryOn).not.toBe(before));
    connection.socket.destroy();
    await connection.closed;
    // The daemon has noticed it once it answers another request.
    await kernel.api.get("/api/system");
    carryOn();
    await vi.waitFor(() => expect(aborted).toHaveBeenLastCalledWith(when));
  }
  expect(late).toHaveLength(1);
});

test("a fault is told by an id and nothing else, and logged with all", async () => {
  await using kernel = await startWith(() => {
    throw Object.assign(new Error("ENOENT: /home/user/secret"), {
      code: "ENOENT",
      status: 418,
    });
  });
  kernel.expectFault(/secret/);
  const { status, body, headers } = await kernel.api.get("/api/probe");
  const requestId = headers.get("x-request-id");
  expect(status).toBe(500);
  expect(body).toEqual({
    type: "urn:gantry:problem:KERNEL_FAULT",
    title: "Internal error",
    status: 500,
    detail: expect.not.stringMatching(/ENOENT|secret/) as string,
    code: "KERNEL_FAULT",
    requestId,
  });
  expect(kernel.log).toContainEqual(
    expect.objectContaining({
      level: "error",
      requestId,
      cause: expect.stringContaining("secret") as string,
    }),
  );
});

test("an answer that its schema does not say is a fault in tests", async () => {
  await using kernel = await startWith(() => ({ ok: false }) as never);
  kernel.expectFault(/answered what its schema does not say/);
  expect((await kernel.api.get("/api/probe")).status).toBe(500);
});

test("an answer in bytes that is none is a fault before anything of it goes out", async () => {
  await using kernel = await startProbe({
    setup: (ctx) =>
      void ctx.route(
        defineRoute({
          ...common,
          method: "GET",
          returns: "bytes",
          handle: () => bytes("text/plain", 1n as never),
        }),
      ),
  });
  kernel.expectFault(/text or bytes/);
  const { status, body } = await kernel.api.get<{ code: string }>("/api/probe");
  expect([status, body.code]).toEqual([500, "KERNEL_FAULT"]);
});

test("bytes and further headers go out as given, with the kernel's own", async () => {
  await using kernel = await startProbe({
    setup(ctx) {
      ctx.route(
        defineRoute({
          ...common,
          method: "GET",
          returns: "bytes",
          handle: () =>
            bytes("image/png", Uint8Array.of(1, 0, 255), {
              "content-disposition": "attachment",
              "cache-control": "private",
            }),
        }),
      );
      ctx.route(
        defineRoute({
          ...common,
          method: "POST",
          returns: okAnswer,
          handle: () => withHeaders({ ok: true as const }, { "x-more": "1" }),
        }),
      );
    },
  });
  const answer = await kernel.api.open("/api/probe");
  expect(new Uint8Array(await answer.arrayBuffer())).toEqual(
    Uint8Array.of(1, 0, 255),
  );
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "content-type": "image/png",
    "content-length": "3",
    "content-disposition": "attachment",
    "cache-control": "private",
    "x-content-type-options": "nosniff",
  });
  const plain = await kernel.api.post("/api/probe");
  expect(plain.body).toEqual({ ok: true });
  expect(Object.fromEntries(plain.headers)).toMatchObject({
    "x-more": "1",
    "cache-control": "no-store",
  });
});
