import type { Readable } from "node:stream";

/** Bytes that are read while they are sent, so that a file of any size costs no memory. */
export interface ByteStream {
  /** Number of bytes in the stream; the connection is cut if there are fewer or more. */
  readonly length: number;
  /** Read to its end, or destroyed when the client disconnects, its session ends, or the plugin stops. */
  readonly stream: Readable;
}

/** An answer of bytes: a file, a page, a picture. */
export interface BytesAnswer {
  readonly kind: "bytes";
  readonly mediaType: string;
  readonly body: Uint8Array | string | ByteStream;
  /** 206 for a part of the resource, named by a `content-range` header; defaults to 200. */
  readonly status?: 200 | 206;
  /** Additional headers. The kernel adds the security headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** One message of a server-sent event stream. */
export interface StreamMessage {
  /** Sent back as `Last-Event-ID` by a client that resumes the stream. */
  id?: string;
  event?: string;
  /** Encoded as JSON on one line, so that no value can inject a field into the stream. */
  data: unknown;
}

/** A message that was rendered once, to be sent to any number of clients. Created by {@link renderMessage}. */
export interface RenderedMessage {
  readonly kind: "rendered-message";
  /** The message as it goes over the wire. */
  readonly text: string;
}

/**
 * Renders a message once, for a stream that sends it to many clients. JSON has no line ends, and line ends are removed from
 * `id` and `event`, so no text can forge a field.
 */
export function renderMessage({
  id,
  event,
  data,
}: StreamMessage): RenderedMessage {
  const field = (name: string, value: string | undefined) =>
    value === undefined ? "" : `${name}: ${value.replace(/[\r\n\0]/g, " ")}\n`;
  const text = `${field("id", id)}${field("event", event)}data: ${JSON.stringify(data) ?? "null"}\n\n`;
  return { kind: "rendered-message", text };
}

/** The server side of one open event stream. */
export interface StreamClient {
  /**
   * Queues a message. A client whose backlog exceeds 1 MiB is disconnected and may resume later.
   *
   * @returns Whether the queue has room for more. After `false`, await {@link drained} before sending again.
   */
  send(message: StreamMessage | RenderedMessage): boolean;
  /** Resolves when the queue is empty, or immediately if the client has disconnected. */
  drained(): Promise<void>;
  /** Ends the stream once all queued messages are sent. */
  close(): void;
  /** Aborts when the client disconnects, its session ends, or the daemon stops. */
  readonly signal: AbortSignal;
}

/** An answer that stays open and sends server-sent events. */
export interface EventStreamAnswer {
  readonly kind: "event-stream";
  readonly open: (client: StreamClient) => void | Promise<void>;
}

/**
 * Answers with server-sent events. `open` runs after the response headers are sent; if it throws, the stream ends.
 *
 * @example
 * handle: ({ query }) => eventStream((client) => {
 *   const stop = agent.watch((delta) => client.send({ event: "delta", data: delta }));
 *   client.signal.addEventListener("abort", stop);
 * })
 */
export function eventStream(
  open: EventStreamAnswer["open"],
): EventStreamAnswer {
  return { kind: "event-stream", open };
}

/** Answers with bytes of the given media type, such as a file or a picture. */
export function bytes(
  mediaType: string,
  body: BytesAnswer["body"],
  headers?: Record<string, string>,
  status?: BytesAnswer["status"],
): BytesAnswer {
  return { kind: "bytes", mediaType, body, headers, status };
}

const HEADERS = Symbol.for("gantry.answer-headers");

/** Adds response headers to an answer of plain data. Headers from an earlier call are kept unless repeated. */
export function withHeaders<Answer extends object>(
  answer: Answer,
  headers: Readonly<Record<string, string>>,
): Answer {
  return Object.defineProperty(answer, HEADERS, {
    value: { ...headersOf(answer), ...headers },
    enumerable: false,
    configurable: true,
  });
}

/** Returns the headers that {@link withHeaders} added; `undefined` if there are none. */
export function headersOf(
  answer: unknown,
): Readonly<Record<string, string>> | undefined {
  if (typeof answer !== "object" || answer === null) return undefined;
  return (answer as { [HEADERS]?: Readonly<Record<string, string>> })[HEADERS];
}
