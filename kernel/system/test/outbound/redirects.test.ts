import { once } from "node:events";
import { createServer } from "node:http";
import type { RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { OutboundRequest } from "@gantry/plugin";
import { createOutboundFetch } from "../../src/outbound/outbound-fetch.ts";

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close().closeAllConnections());
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const open = (ownPorts: number[] = []) =>
  createOutboundFetch({ allowPrivate: true, ownPorts: () => ownPorts });

describe("redirects that are followed", () => {
  /** Redirects `/<status>/<rest>` to `/<rest>`, and answers anything else with what it received. */
  const listener: RequestListener = (request, response) => {
    const [, status = "", rest = ""] =
      /^\/(30\d)(\/.*)$/.exec(request.url ?? "") ?? [];
    if (status !== "")
      return void response.writeHead(Number(status), { location: rest }).end();
    void text(request).then((body) =>
      response.end(
        JSON.stringify({
          url: request.url,
          method: request.method,
          body,
          type: request.headers["content-type"],
          authorization: request.headers.authorization,
        }),
      ),
    );
  };

  test("lead to the last answer, whose address the response has", async () => {
    const port = await serve(listener);
    const base = `http://127.0.0.1:${port}`;
    const answer = await open()(`${base}/302/301/end`, { maxRedirects: 2 });
    expect(answer.url).toBe(`${base}/end`);
    expect(await answer.json()).toMatchObject({ url: "/end", method: "GET" });
  });

  test("are limited", async () => {
    const port = await serve(listener);
    await expect(
      open()(`http://127.0.0.1:${port}/302/302/302/end`, { maxRedirects: 2 }),
    ).rejects.toMatchObject({ code: "OUTBOUND_REDIRECTS", status: 502 });
  });

  test.each([
    ["POST", 301, "GET"],
    ["POST", 302, "GET"],
    ["PUT", 302, "PUT"],
    ["PUT", 303, "GET"],
    ["POST", 307, "POST"],
    ["POST", 308, "POST"],
  ])("turn %s with %i into %s", async (method, status, expected) => {
    const port = await serve(listener);
    const answer = await open()(`http://127.0.0.1:${port}/${status}/end`, {
      method,
      body: "text",
      headers: { "content-type": "text/x" },
      maxRedirects: 1,
    });
    const isKept = expected !== "GET";
    expect(await answer.json()).toMatchObject({
      method: expected,
      body: isKept ? "text" : "",
      ...(isKept && { type: "text/x" }),
    });
  });

  test("keep credentials within an origin and drop them beyond", async () => {
    const port = await serve(listener);
    const other = await serve(
      (_, response) =>
        void response
          .writeHead(302, { location: `http://127.0.0.1:${port}/end` })
          .end(),
    );
    const options = { headers: { authorization: "secret" }, maxRedirects: 1 };
    const [within, beyond] = await Promise.all([
      open()(`http://127.0.0.1:${port}/302/end`, options),
      open()(`http://127.0.0.1:${other}/`, options),
    ]);
    expect(await within.json()).toHaveProperty("authorization", "secret");
    expect(await beyond.json()).not.toHaveProperty("authorization");
  });

  test("are refused where the target is", async () => {
    const target = vi.fn<RequestListener>((_, response) => void response.end());
    const own = await serve(target);
    for (const location of [
      `http://127.0.0.1:${own}/`,
      "http://169.254.169.254/",
      "file:///etc/passwd",
    ]) {
      const port = await serve(
        (_, response) => void response.writeHead(302, { location }).end(),
      );
      await expect(
        open([own])(`http://127.0.0.1:${port}/`, { maxRedirects: 5 }),
        location,
      ).rejects.toMatchObject({ code: "OUTBOUND_REFUSED" });
    }
    expect(target).not.toHaveBeenCalled();
  });

  test("end where a stream would have to be sent again", async () => {
    const port = await serve(listener);
    const answer = await open()(`http://127.0.0.1:${port}/307/end`, {
      method: "POST",
      body: new Blob(["text"]).stream(),
      duplex: "half",
      maxRedirects: 1,
    } as OutboundRequest);
    expect(answer.status).toBe(307);
  });
});
