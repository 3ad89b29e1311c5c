import { expect, test } from "vitest";
import { countTraffic } from "../src/measure/traffic.ts";
import type { NetworkListeners } from "../src/measure/traffic.ts";

/** Reports one request as a browser does. */
function fetchOne(
  on: NetworkListeners,
  requestId: string,
  {
    at,
    head,
    body = 0,
    mimeType = "text/html",
    kept,
  }: {
    at: number;
    head: number;
    body?: number;
    mimeType?: string;
    kept?: "in memory" | "on disk";
  },
): void {
  const url = `http://gantry.localhost:1/${requestId}`;
  on["Network.requestWillBeSent"]({ requestId, request: { url } });
  if (kept === "in memory") on["Network.requestServedFromCache"]({ requestId });
  on["Network.responseReceived"]({
    requestId,
    timestamp: at,
    response: {
      encodedDataLength: head,
      mimeType,
      fromDiskCache: kept === "on disk",
    },
  });
  on["Network.dataReceived"]({
    requestId,
    timestamp: at + 0.1,
    encodedDataLength: body,
  });
}

test("heads and bodies are added up, and apart what came before the first paint", () => {
  const { listeners, result } = countTraffic(() => {});
  fetchOne(listeners, "page", { at: 1, head: 100, body: 1000 });
  listeners["Page.lifecycleEvent"]({
    name: "firstContentfulPaint",
    timestamp: 2,
  });
  fetchOne(listeners, "late", { at: 3, head: 10, body: 20 });
  expect(result()).toEqual({
    requests: 2,
    bytes: 1130,
    bytesToFirstPaint: 1100,
    urls: ["http://gantry.localhost:1/page", "http://gantry.localhost:1/late"],
  });
});

test("what the browser had already is a request and no bytes", () => {
  const { listeners, result } = countTraffic(() => {});
  fetchOne(listeners, "script", { at: 1, head: 90_000, kept: "in memory" });
  fetchOne(listeners, "font", { at: 1, head: 30_000, kept: "on disk" });
  expect(result()).toMatchObject({ requests: 2, bytes: 0 });
});

test("a stream counts with what came, and is not to be fetched again", () => {
  const { listeners, result } = countTraffic(() => {});
  const mimeType = "text/event-stream";
  fetchOne(listeners, "events", { at: 1, head: 200, body: 50, mimeType });
  expect(result()).toMatchObject({ requests: 1, bytes: 250, urls: [] });
});

test("what is no request over the wire is none", () => {
  const { listeners, result } = countTraffic(() => {});
  const request = { url: "data:image/png;base64,AAAA" };
  listeners["Network.requestWillBeSent"]({ requestId: "inline", request });
  listeners["Network.dataReceived"]({
    requestId: "inline",
    timestamp: 1,
    encodedDataLength: 5,
  });
  expect(result()).toMatchObject({ requests: 0, bytes: 0, urls: [] });
});

test("each request and each piece is news", () => {
  let news = 0;
  const { listeners } = countTraffic(() => news++);
  fetchOne(listeners, "page", { at: 1, head: 1, body: 1 });
  expect(news).toBe(2);
});
