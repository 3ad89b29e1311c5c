import { setTimeout as sleep } from "node:timers/promises";
import type { Browser, CDPSession } from "playwright-core";
import type { Daemon } from "./daemon.ts";

/** What one load of the home page took. */
export interface PageLoad {
  requests: number;
  /** On the wire, with headers, as the browser counts it. */
  bytes: number;
  bytesToFirstPaint: number;
  /** What was fetched: all but streams, which have no end. */
  urls: string[];
}

/** A tab that showed the home page. */
export interface HomePage {
  cold: PageLoad;
  /** Loads it again in the same profile. */
  loadAgain(): Promise<PageLoad>;
  close(): Promise<void>;
}

/** What is read of the events of the DevTools protocol; times are in seconds. */
interface Payloads {
  requestWillBeSent: { requestId: string; request: { url: string } };
  responseReceived: {
    requestId: string;
    timestamp: number;
    response: { encodedDataLength: number; mimeType: string };
  };
  dataReceived: { timestamp: number; encodedDataLength: number };
}
type Payload<Name extends keyof Payloads> = Payloads[Name];

/** Without a word on the wire for so long, the page is there. */
const QUIET_MS = 1_000;
const LONGEST_MS = 20_000;

/** Opens the home page in a fresh profile with a session of its own, and waits until nothing more comes. */
export async function loadHomePage(
  browser: Browser,
  daemon: Daemon,
): Promise<HomePage> {
  const context = await browser.newContext();
  const [name = "", value = ""] = daemon.session.cookie.split("=");
  await context.addCookies([
    { name, value, url: daemon.url, httpOnly: true, sameSite: "Strict" },
  ]);
  const page = await context.newPage();
  const wire = await context.newCDPSession(page);
  await wire.send("Network.enable");
  await wire.send("Page.enable");
  await wire.send("Page.setLifecycleEventsEnabled", { enabled: true });
  const watched = () =>
    watchLoad(wire, async () => {
      const response = await page.goto(`${daemon.url}/`);
      if (response?.status() !== 200)
        throw new Error(`The home page answered ${response?.status()}.`);
      await page.getByRole("heading", { name: "Home", level: 1 }).waitFor();
    });
  return {
    cold: await watched(),
    loadAgain: watched,
    close: () => context.close(),
  };
}

/** Counts what goes over the wire while a page is loaded, until nothing more comes. */
async function watchLoad(
  wire: CDPSession,
  go: () => Promise<unknown>,
): Promise<PageLoad> {
  const received: { at: number; bytes: number }[] = [];
  const urls = new Map<string, string>();
  const streams = new Set<string>();
  let requests = 0;
  let firstPaint = Number.POSITIVE_INFINITY;
  let lastNews = performance.now();

  const sent = ({ requestId, request }: Payload<"requestWillBeSent">) => {
    if (!request.url.startsWith("http")) return;
    lastNews = performance.now();
    requests++;
    urls.set(requestId, request.url);
  };
  const answered = ({
    requestId,
    timestamp,
    response,
  }: Payload<"responseReceived">) => {
    received.push({ at: timestamp, bytes: response.encodedDataLength });
    if (response.mimeType === "text/event-stream") streams.add(requestId);
  };
  const grown = ({ timestamp, encodedDataLength }: Payload<"dataReceived">) => {
    lastNews = performance.now();
    received.push({ at: timestamp, bytes: encodedDataLength });
  };
  const painted = ({
    name,
    timestamp,
  }: {
    name: string;
    timestamp: number;
  }) => {
    if (name === "firstContentfulPaint")
      firstPaint = Math.min(firstPaint, timestamp);
  };
  wire.on("Network.requestWillBeSent", sent);
  wire.on("Network.responseReceived", answered);
  wire.on("Network.dataReceived", grown);
  wire.on("Page.lifecycleEvent", painted);
  await go();
  const deadline = performance.now() + LONGEST_MS;
  while (
    performance.now() - lastNews < QUIET_MS &&
    performance.now() < deadline
  )
    await sleep(50);
  wire.off("Network.requestWillBeSent", sent);
  wire.off("Network.responseReceived", answered);
  wire.off("Network.dataReceived", grown);
  wire.off("Page.lifecycleEvent", painted);

  for (const id of streams) urls.delete(id);
  const sum = (entries: typeof received) =>
    entries.reduce((total, { bytes }) => total + bytes, 0);
  return {
    requests,
    bytes: sum(received),
    bytesToFirstPaint: sum(received.filter(({ at }) => at <= firstPaint)),
    urls: [...urls.values()],
  };
}
