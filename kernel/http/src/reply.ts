import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";

export const PROBLEM_MEDIA_TYPE = "application/problem+json";

/** An answer that says what went wrong: RFC 9457 with `code`, and `errors` for bad input. */
export interface Problem {
  status: number;
  body: string;
  headers: readonly string[];
}

/** Sent with every answer. Flat, since that is what `writeHead` takes fastest. */
const SECURITY_HEADERS = [
  "x-content-type-options",
  "nosniff",
  "referrer-policy",
  "no-referrer",
  "cross-origin-resource-policy",
  "same-origin",
  "cross-origin-opener-policy",
  "same-origin",
  "permissions-policy",
  "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
] as const;

/** Answers are never kept by a cache unless they say so. */
const NO_STORE = ["cache-control", "no-store"] as const;

/** Time in which a client can read the answer to a request that it is still sending, before its connection is closed. */
const CLOSE_DELAY_MS = 500;
/** A body that is no longer is read and dropped, which costs less than a new connection. */
const MAX_DROPPED_BYTES = 16 * 1024;
/** Time in which the rest of such a body has to come. */
const DROP_MS = 5_000;

/** Puts the headers of every answer on a response that something else writes. */
export function setSecurityHeaders(
  response: ServerResponse,
  requestId: string,
): void {
  response.setHeader("x-request-id", requestId);
  for (let index = 0; index < SECURITY_HEADERS.length; index += 2) {
    response.setHeader(
      SECURITY_HEADERS[index] ?? "",
      SECURITY_HEADERS[index + 1] ?? "",
    );
  }
}

/** An answer with its body, or the head of one whose body of this length follows. */
type Answer = (
  | { body: string | Uint8Array; length?: undefined }
  | { body?: undefined; length: number }
) & {
  status: number;
  mediaType: string;
  headers?: readonly string[];
  cache?: readonly string[];
};

/** Writes an answer, without the body for HEAD, unless one has begun. */
export function send(
  response: ServerResponse,
  requestId: string,
  answer: Answer,
): void {
  if (response.headersSent || response.destroyed) return;
  const { status, mediaType, body, headers = [], cache = NO_STORE } = answer;
  const length = answer.length ?? Buffer.byteLength(answer.body);
  response.writeHead(status, [
    "content-type",
    mediaType,
    "content-length",
    String(length),
    "x-request-id",
    requestId,
    ...SECURITY_HEADERS,
    ...cache,
    ...headers,
  ]);
  if (response.req.method === "HEAD") response.end();
  else if (answer.length === undefined) response.end(body);
  // The first bytes of the body may be long in coming.
  else response.flushHeaders();
}

/**
 * Answers with a problem. If part of the request's body has not been read, the connection is closed with it, since
 * reading on would let any client keep the daemon busy with useless bytes. A short body is dropped instead: a connection
 * that is cut while bytes come may take the answer from a client that is slow to read it.
 */
export function sendProblem(
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
  problem: Problem,
): void {
  const isUnread = !request.complete && hasBody(request);
  const isDropped = isUnread && isDroppable(request);
  const headers =
    isUnread && !isDropped
      ? [...problem.headers, "connection", "close"]
      : problem.headers;
  if (isDropped) dropBody(request);
  else if (isUnread) endUnread(request);
  send(response, requestId, {
    status: problem.status,
    mediaType: PROBLEM_MEDIA_TYPE,
    body: problem.body,
    headers,
  });
}

/** Whether a body is short, and nothing has begun to read it. */
function isDroppable({ headers, readableDidRead }: IncomingMessage): boolean {
  const length = Number(headers["content-length"] ?? Infinity);
  return length <= MAX_DROPPED_BYTES && !readableDidRead;
}

/** Node reads and drops it after the answer, and then takes the next request of the connection. */
function dropBody(request: IncomingMessage): void {
  const cut = setTimeout(() => request.socket.destroy(), DROP_MS).unref();
  request.once("close", () => clearTimeout(cut));
}

/** Ends a connection on which bytes still come, after the answer. None of them are read. */
function endUnread(request: IncomingMessage): void {
  // Node drains a body that was not begun to be read, whatever its length; once begun, it reads until its buffers are
  // full, which is more than a refused request is worth.
  request.read(0);
  const { socket } = request;
  stopReading(socket);
  socket.destroySoon = () => endSoon(socket);
}

/**
 * Sends an answer on a connection from which nothing more is read, and closes it after {@link CLOSE_DELAY_MS}: a client that
 * is still sending would lose the answer if it were closed at once (RFC 9112, section 9.6).
 */
export function endWithAnswer(socket: Duplex, answer: string): void {
  stopReading(socket);
  endSoon(socket, answer);
}

function endSoon(socket: Duplex, answer?: string): void {
  socket.end(answer);
  setTimeout(() => socket.destroy(), CLOSE_DELAY_MS).unref();
}

function stopReading(socket: Duplex): void {
  (socket as { _handle?: { readStop(): void } })._handle?.readStop();
}

/** Whether a request announces a body. */
function hasBody(request: IncomingMessage): boolean {
  const length = request.headers["content-length"];
  return (
    request.headers["transfer-encoding"] !== undefined ||
    (length !== undefined && length !== "0")
  );
}

/** A whole answer as it goes over the wire, for a socket on which there is no response of Node's; it is the last one. */
export function renderLastAnswer(
  { status, body, headers }: Problem,
  requestId = `req_${randomBytes(12).toString("hex")}`,
): string {
  const flat = [
    "connection",
    "close",
    "content-type",
    PROBLEM_MEDIA_TYPE,
    "content-length",
    String(Buffer.byteLength(body)),
    "x-request-id",
    requestId,
    ...SECURITY_HEADERS,
    ...NO_STORE,
    ...headers,
  ];
  let head = `HTTP/1.1 ${status} Refused\r\n`;
  for (let index = 0; index < flat.length; index += 2)
    head += `${flat[index]}: ${flat[index + 1]}\r\n`;
  return `${head}\r\n${body}`;
}
