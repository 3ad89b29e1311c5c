import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { api, ApiError, isAbort } from "../src/index.ts";
import { sessionRefusedEvent } from "../src/host.ts";
import { json, startServer } from "./support/startServer.ts";

let server: Awaited<ReturnType<typeof startServer>>;

beforeEach(async () => {
  server = await startServer((_request, response) =>
    json(response, { ok: true }),
  );
  window.happyDOM.setURL(`${server.origin}/`);
});
afterEach(() => server.close());

test("sends query, body, revision and key as the daemon reads them", async () => {
  const answer = await api.patch<{ ok: boolean }>("/api/notes/1", {
    query: {
      q: "a b",
      tags: ["x", "y"],
      none: undefined,
      nothing: null,
      limit: 5,
    },
    body: { title: "T" },
    ifMatch: 3,
    idempotencyKey: "key-1",
  });
  expect(answer).toEqual({ ok: true });
  const [request] = server.requests;
  expect(request?.method).toBe("PATCH");
  expect(
    Object.fromEntries(new URL(request?.url ?? "", server.origin).searchParams),
  ).toEqual({
    q: "a b",
    tags: "x,y",
    limit: "5",
  });
  expect(request?.headers["if-match"]).toBe('"3"');
  expect(request?.headers["idempotency-key"]).toBe("key-1");
  expect(request?.headers["content-type"]).toBe("application/json");
  expect(request?.body).toBe('{"title":"T"}');
});

test("a refusal keeps code, detail, issues, request id and the time to wait", async () => {
  server.answer = (_request, response) =>
    json(
      response,
      {
        status: 400,
        code: "BAD_INPUT",
        title: "Bad input",
        detail: "A field is wrong.",
        errors: [{ path: "title", message: "is too long" }, "nonsense"],
      },
      400,
      { "x-request-id": "req_1", "retry-after": "7" },
    );
  const error = await api.post("/api/notes").catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({
    status: 400,
    code: "BAD_INPUT",
    title: "Bad input",
    detail: "A field is wrong.",
    errors: [{ path: "title", message: "is too long" }],
    requestId: "req_1",
    retryAfter: 7,
  });
  expect(server.requests).toHaveLength(1);
});

test("an answer that is not the daemon's is said to be none", async () => {
  server.answer = (_request, response) =>
    response
      .writeHead(502, { "content-type": "text/html" })
      .end("<h1>Proxy</h1>");
  await expect(api.get("/api/notes")).rejects.toMatchObject({
    status: 502,
    code: "UNREADABLE",
  });
});

test("no answer is an error of its own", async () => {
  server.answer = (_request, response) => response.destroy();
  await expect(api.get("/api/notes")).rejects.toMatchObject({
    status: 0,
    code: "UNREACHABLE",
  });
});

test("what the page gives up is no error to show", async () => {
  server.answer = () => undefined;
  const abort = new AbortController();
  const answer = api.get("/api/notes", { signal: abort.signal });
  await vi.waitFor(() => expect(server.requests).toHaveLength(1));
  abort.abort();
  expect(isAbort(await answer.catch((thrown: unknown) => thrown))).toBe(true);
});

test("a refused session is reported to the whole page", async () => {
  const told = vi.fn();
  window.addEventListener(sessionRefusedEvent, told, { once: true });
  server.answer = (_request, response) =>
    json(
      response,
      { status: 401, code: "AUTH_NOT_PAIRED", detail: "Pair." },
      401,
    );
  await expect(api.get("/api/notes")).rejects.toMatchObject({
    code: "AUTH_NOT_PAIRED",
  });
  expect(told).toHaveBeenCalledOnce();
});
