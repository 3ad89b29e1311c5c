import type { Socket } from "node:net";

const VERSION = 5;
const NO_PASSWORD = 0;
const CONNECT = 1;
const IPV4 = 1;
const NAME = 3;
const IPV6 = 4;
const GRANTED = 0;
const HOST_UNREACHABLE = 4;

/** A client's request for a connection. */
export interface SocksRequest {
  /** A name, an IPv4 address, or an IPv6 address in brackets. */
  host: string;
  port: number;
  /** Tells the client that it is connected. */
  accept(): void;
  /** Tells the client that the host was not reached, and ends its connection. */
  refuse(): void;
}

/**
 * Reads what a client of a SOCKS 5 proxy (RFC 1928) asks for. No password is used.
 *
 * @returns `undefined` for anything else, such as an HTTP request, and if the client disconnects
 */
export async function acceptSocks(
  client: Socket,
): Promise<SocksRequest | undefined> {
  const read = createByteReader(client);
  const greeting = await readMessage(read, 2, ([version, count = 0]) =>
    version === VERSION ? 2 + count : undefined,
  );
  if (!greeting?.subarray(2).includes(NO_PASSWORD)) return undefined;
  client.write(Buffer.from([VERSION, NO_PASSWORD]));
  const request = await readMessage(read, 5, measureRequest);
  if (!request) return undefined;
  return {
    host: toHost(request),
    port: request.readUInt16BE(request.length - 2),
    accept: () => void client.write(toReply(GRANTED)),
    // Any other code, and a connection that is just closed, makes Chromium take the proxy itself for broken.
    refuse: () => void client.end(toReply(HOST_UNREACHABLE)),
  };
}

/** A reply; clients do not use the address in it. */
function toReply(code: number): Buffer {
  return Buffer.from([VERSION, code, 0, IPV4, 0, 0, 0, 0, 0, 0]);
}

/** Length of a request by its first five bytes; `undefined` if it is not one for a connection. */
function measureRequest(head: Buffer): number | undefined {
  const [version, command, , type, nameLength = 0] = head;
  if (version !== VERSION || command !== CONNECT) return undefined;
  if (type === IPV4) return 4 + 4 + 2;
  if (type === IPV6) return 4 + 16 + 2;
  return type === NAME ? 4 + 1 + nameLength + 2 : undefined;
}

function toHost(request: Buffer): string {
  const address = request.subarray(4, -2);
  if (request[3] === IPV4) return address.join(".");
  if (request[3] === NAME) return address.subarray(1).toString("latin1");
  const words = Array.from({ length: 8 }, (_, at) =>
    address.readUInt16BE(2 * at).toString(16),
  );
  // The URL parser writes an address in its shortest form, as addresses of pages have it.
  return new URL(`http://[${words.join(":")}]`).hostname;
}

/** Reads exactly `count` bytes; `undefined` if the client disconnects before. */
type ByteReader = (count: number) => Promise<Buffer | undefined>;

/** Reads a message whose length is known from its first bytes. */
async function readMessage(
  read: ByteReader,
  headBytes: number,
  measure: (head: Buffer) => number | undefined,
): Promise<Buffer | undefined> {
  const head = await read(headBytes);
  const length = head && measure(head);
  if (length === undefined) return undefined;
  const rest = await read(length - headBytes);
  return rest && Buffer.concat([head!, rest]);
}

function createByteReader(client: Socket): ByteReader {
  return async (count) => {
    let bytes = Buffer.alloc(0);
    while (bytes.length < count) {
      // All of it and not `count`: a stream that keeps a part announces it again at once, without end.
      const chunk = client.read() as Buffer | null;
      if (chunk) bytes = Buffer.concat([bytes, chunk]);
      else if (client.readableEnded || client.destroyed) return undefined;
      else await nextChunk(client);
    }
    if (bytes.length > count) client.unshift(bytes.subarray(count));
    return bytes.subarray(0, count);
  };
}

/** Resolves when there may be more to read, or when the client has closed. */
async function nextChunk(client: Socket): Promise<void> {
  await new Promise<void>((resolve) => {
    const wake = () => {
      client.off("readable", wake).off("close", wake);
      resolve();
    };
    client.on("readable", wake).on("close", wake);
  });
}
