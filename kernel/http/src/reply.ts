import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { PROBLEM_MEDIA_TYPE } from "./problem.ts";
import type { Problem } from "./problem.ts";

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

/** The head of an answer. */
interface AnswerHead {
  status: number;
  mediaType: string;
  headers?: readonly string[];
  cache?: readonly string[];
}

/** Writes one whole answer. */
export function send(
  response: ServerResponse,
  requestId: string,
  { body, ...head }: AnswerHead & { body: string | Uint8Array },
): void {
  if (response.headersSent || response.destroyed) return;
  const length =
    typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
  writeHead(response, requestId, { ...head, length });
  response.end(response.req.method === "HEAD" ? undefined : body);
}

/** Writes the head of an answer whose body follows, and all of one that has none. */
export function sendHead(
  response: ServerResponse,
  requestId: string,
  head: AnswerHead & { length: number },
): void {
  if (response.headersSent || response.destroyed) return;
  writeHead(response, requestId, head);
  if (response.req.method === "HEAD") response.end();
  // The first bytes of the body may be long in coming.
  else response.flushHeaders();
}

function writeHead(
  response: ServerResponse,
  requestId: string,
  {
    status,
    mediaType,
    length,
    headers = [],
    cache = NO_STORE,
  }: AnswerHead & { length: number },
): void {
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
}

/** Answers 200 with a JSON object. */
export function sendJson(
  response: ServerResponse,
  requestId: string,
  value: unknown,
  headers: readonly string[] = [],
): void {
  send(response, requestId, {
    status: 200,
    mediaType: "application/json",
    body: JSON.stringify(value),
    headers,
  });
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
  // Node drains a body that nobody has begun to read, whatever its length; once begun, it reads until its buffers are
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
