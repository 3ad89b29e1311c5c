import type { Readable } from "node:stream";

/** Bytes that are read while they are sent, so that a file of any size costs no memory. */
export interface ByteStream {
  /** Number of bytes in the stream. A stream with fewer or more cuts the connection. */
  readonly length: number;
  /** It is read to its end, or destroyed when the client leaves, its session ends, or the plugin stops. */
  readonly stream: Readable;
}

/** An answer of bytes: a file, a page, a picture. */
export interface BytesAnswer {
  /** Tells it from an answer of plain data; {@link bytes} sets it. */
  readonly kind: "bytes";
  /** Value of `content-type`, such as `image/png`. */
  readonly mediaType: string;
  /** Sent as it is, a string as UTF-8. A {@link ByteStream} for what should not be held in memory. */
  readonly body: Uint8Array | string | ByteStream;
  /** 206 for a part of the thing, which says in a `content-range` header which one it is; 200 unless said. */
  readonly status?: 200 | 206;
  /** Further headers; security headers are added by the kernel. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** One message of a server-sent event stream. */
export interface StreamMessage {
  /** Becomes `Last-Event-ID` of a client that resumes. */
  id?: string;
  /** Name of the event, by which a client listens to it; `message` unless given. */
  event?: string;
  /** Encoded as JSON on one line, so that no text can forge a field of the stream. */
  data: unknown;
}

/** The kernel's end of one open stream. */
export interface StreamClient {
  /**
   * Queues a message. A client that does not read is dropped once 1 MiB waits for it, and resumes later. One message that is
   * sent to many clients is rendered once.
   *
   * @returns whether there is room for more; `false` asks the caller to await {@link drained}.
   */
  send(message: StreamMessage): boolean;
  /** Resolves when the client has caught up, or at once when it is gone. */
  drained(): Promise<void>;
  /** Ends the stream after what is queued. */
  close(): void;
  /** Aborts when the client is gone, its session ended, or the daemon stops. */
  readonly signal: AbortSignal;
}

/** An answer that stays open and sends events. */
export interface EventStreamAnswer {
  /** Tells it from an answer of plain data; {@link eventStream} sets it. */
  readonly kind: "event-stream";
  /** Called once the head of the response is sent. What it throws ends the stream. */
  readonly open: (client: StreamClient) => void | Promise<void>;
}

/**
 * Answers with server-sent events. `open` runs once the head is sent; what it throws ends the stream.
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

/** Answers with bytes of a media type. */
export function bytes(
  mediaType: string,
  body: BytesAnswer["body"],
  headers?: Record<string, string>,
  status?: BytesAnswer["status"],
): BytesAnswer {
  return { kind: "bytes", mediaType, body, headers, status };
}

const HEADERS = Symbol.for("gantry.answer-headers");

/** Adds response headers to an answer of plain data, beside those that it has. */
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

/** The headers that {@link withHeaders} added. */
export function headersOf(
  answer: unknown,
): Readonly<Record<string, string>> | undefined {
  if (typeof answer !== "object" || answer === null) return undefined;
  return (answer as { [HEADERS]?: Readonly<Record<string, string>> })[HEADERS];
}
