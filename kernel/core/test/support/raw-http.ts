import { connect } from "node:net";
import type { Socket } from "node:net";
import { onTestFinished } from "vitest";

/** An answer as it came over the wire. */
export interface RawAnswer {
  status: number;
  /** Lower-case names, in the order sent. */
  headers: [name: string, value: string][];
  /** Value of a header, `undefined` if it was not sent. */
  header(name: string): string | undefined;
  body: string;
}

/** What a request is made of; anything may be wrong in it. */
export interface RawRequest {
  method?: string;
  target?: string;
  headers?: readonly (readonly [name: string, value: string])[];
  body?: string;
  version?: string;
}

/** The bytes of a request, with nothing added and nothing corrected. */
export function renderRequest({
  method = "GET",
  target = "/",
  headers = [],
  body = "",
  version = "1.1",
}: RawRequest): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${target} HTTP/${version}\r\n${lines.join("")}\r\n${body}`;
}

/** A connection to a daemon on which a test says every byte. */
export interface RawConnection {
  readonly socket: Socket;
  write(data: string | Uint8Array): void;
  /** The next whole answer, to a HEAD without its body. Rejects if the connection ends before it. */
  answer(method?: string): Promise<RawAnswer>;
  /** Everything that has come and was not read as an answer. */
  rest(): string;
  /** Resolves when the other side is gone. */
  readonly closed: Promise<void>;
}

/** Connects to a port of this machine; the connection is cut when the test is over. */
export async function openRaw(
  port: number,
  host = "127.0.0.1",
): Promise<RawConnection> {
  const socket = connect(port, host);
  onTestFinished(() => void socket.destroy());
  let received = Buffer.alloc(0);
  let isOver = false;
  let wake = () => {};
  const closed = new Promise<void>((resolve) =>
    socket.once("close", () => resolve()),
  );
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  // A daemon that hangs up on us is what many tests are about.
  socket.on("error", () => {});
  void closed.then(() => {
    isOver = true;
    wake();
  });
  await new Promise<void>((resolve, reject) =>
    socket.once("connect", resolve).once("error", reject),
  );

  async function until<Value>(take: () => Value | undefined): Promise<Value> {
    for (;;) {
      const value = take();
      if (value !== undefined) return value;
      if (isOver)
        throw new Error(
          `The connection ended after: ${received.toString("latin1")}`,
        );
      await new Promise<void>((resolve) => (wake = resolve));
    }
  }

  return {
    socket,
    closed,
    write: (data) => void socket.write(data),
    rest: () => received.toString("utf8"),
    answer: (method) =>
      until(() => {
        const parsed = parseAnswer(received, isOver, method === "HEAD");
        if (parsed) received = received.subarray(parsed.length);
        return parsed?.answer;
      }),
  };
}

/** Sends one request on a connection of its own and reads one answer. */
export async function sendRaw(
  port: number,
  request: RawRequest | string,
  host?: string,
): Promise<RawAnswer> {
  const connection = await openRaw(port, host);
  connection.write(
    typeof request === "string" ? request : renderRequest(request),
  );
  return connection.answer(
    typeof request === "string" ? undefined : request.method,
  );
}

function parseAnswer(
  received: Buffer,
  isOver: boolean,
  hasNoBody: boolean,
): { answer: RawAnswer; length: number } | undefined {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const [statusLine = "", ...lines] = received
    .toString("latin1", 0, headEnd)
    .split("\r\n");
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  const header = (wanted: string) =>
    headers.find(([name]) => name === wanted)?.[1];
  const status = Number(statusLine.split(" ")[1]);
  const start = headEnd + 4;
  const bodyOf = (): { body: string; end: number } | undefined => {
    if (hasNoBody || status < 200 || status === 204 || status === 304)
      return { body: "", end: start };
    if (header("transfer-encoding") === "chunked")
      return readChunks(received, start);
    const length = Number(header("content-length") ?? Number.NaN);
    // Without a length the answer lasts to the end of the connection.
    const end = Number.isNaN(length)
      ? isOver
        ? received.length
        : Infinity
      : start + length;
    if (received.length < end) return undefined;
    return { body: received.toString("utf8", start, end), end };
  };
  const whole = bodyOf();
  if (!whole) return undefined;
  const answer = { status, headers, header, body: whole.body };
  return { answer, length: whole.end };
}

function readChunks(
  received: Buffer,
  start: number,
): { body: string; end: number } | undefined {
  const parts: Buffer[] = [];
  for (let at = start; ;) {
    const lineEnd = received.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(received.toString("latin1", at, lineEnd), 16);
    const end = lineEnd + 2 + size + 2;
    if (received.length < end) return undefined;
    if (size === 0) return { body: Buffer.concat(parts).toString(), end };
    parts.push(received.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = end;
  }
}
