// eslint-disable-next-line gantry/no-bare-fetch -- sends over a connection that ctx.connect has opened, and opens none itself
import { request as sendRequest } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { pipeline } from "node:stream";
import { toForwardedHeaders } from "./egress-headers.ts";
import { DialError } from "./judged-dialer.ts";
import type { Dialer } from "./judged-dialer.ts";

/** Dependencies of {@link forwardRequest}. */
export interface ForwardOptions {
  dialer: Dialer;
  /** Aborts the request when the proxy closes. */
  signal: AbortSignal;
  onError(target: string, error: unknown): void;
}

/** Forwards a request of an authenticated client over a new connection. Never rejects. */
export async function forwardRequest(
  request: IncomingMessage,
  response: ServerResponse,
  options: ForwardOptions,
): Promise<void> {
  const url = parseTarget(request.url ?? "");
  if (!url)
    return sendRefusal(
      request,
      response,
      400,
      "Only addresses of http: are forwarded.",
    );
  const port = Number(url.port || 80);
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  try {
    const signal = AbortSignal.any([options.signal, gone.signal]);
    const socket = await options.dialer.dial(url.hostname, port, signal);
    if (gone.signal.aborted) return void socket.destroy();
    exchange(request, response, url, socket);
  } catch (error) {
    options.onError(`http://${url.hostname}:${port}`, error);
    const isRefused = error instanceof DialError && error.isRefused;
    const reason =
      error instanceof DialError ? error.message : "It was not reached.";
    sendRefusal(request, response, isRefused ? 403 : 502, reason);
  }
}

function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  socket: Socket,
): void {
  const hasLength = request.headers["content-length"] !== undefined;
  const isChunked = request.headers["transfer-encoding"] !== undefined;
  const outgoing = sendRequest({
    createConnection: () => socket,
    method: request.method,
    path: url.pathname + url.search,
    headers: [
      // The host that was judged, whatever `Host` header the client sent.
      ...["Host", url.host],
      ...toForwardedHeaders(request.rawHeaders, ["host"]),
      ...(isChunked ? ["Transfer-Encoding", "chunked"] : []),
      ...["Connection", "close"],
    ],
  });
  const fail = () => {
    outgoing.destroy();
    if (response.headersSent) response.destroy();
    else
      sendRefusal(
        request,
        response,
        502,
        `${url.host} did not answer as a web server does.`,
      );
  };
  outgoing.on("error", fail);
  outgoing.on("response", (answer) => {
    // Chromium would take it for the proxy's own demand and discard the password of the proxy permanently.
    if (answer.statusCode === 407) return fail();
    try {
      response.writeHead(
        answer.statusCode ?? 502,
        answer.statusMessage ?? "",
        toForwardedHeaders(answer.rawHeaders),
      );
    } catch {
      return fail();
    }
    pipeline(answer, response, (error) => {
      if (error) response.destroy();
      outgoing.destroy();
    });
  });
  response.on("close", () => outgoing.destroy());
  if (hasLength || isChunked) request.pipe(outgoing);
  else outgoing.end();
}

function parseTarget(text: string): URL | undefined {
  if (!/^http:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.username === "" && url.password === "" ? url : undefined;
}

/** Sends a refusal, as an HTML page where the client accepts one. */
export function sendRefusal(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  reason: string,
): void {
  const isPage = (request.headers.accept ?? "").includes("text/html");
  const text = isPage ? toPage(reason) : `Gantry: ${reason}\n`;
  response
    .writeHead(status, {
      "content-type": `text/${isPage ? "html" : "plain"}; charset=utf-8`,
      "content-length": Buffer.byteLength(text),
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      // The rest of the request is not read, so that nothing of it can be taken for another request.
      ...(request.complete ? {} : { connection: "close" }),
    })
    .end(text);
}

const NEXT_STEP =
  "What an agent may open is chosen in Gantry, on the page Browser under Agents. In your own browser, an address of the local network opens when you type it.";

function toPage(reason: string): string {
  const escaped = reason.replace(
    /[&<>"]/g,
    (each) => `&#${each.charCodeAt(0)};`,
  );
  return `<!doctype html><meta charset="utf-8"><title>Not opened</title><h1>Gantry did not open this page</h1><p>The reason: ${escaped}.</p><p>${NEXT_STEP}</p>\n`;
}
