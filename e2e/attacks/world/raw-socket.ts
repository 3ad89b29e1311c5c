import { randomBytes } from "node:crypto";
import {
  openRaw,
  renderRequest,
} from "../../../kernel/core/test/support/raw-http.ts";
import type { RawConnection } from "../../../kernel/core/test/support/raw-http.ts";

type Header = readonly [name: string, value: string];

/** The headers of a WebSocket handshake, without those that say who asks. */
export function handshake(): Header[] {
  return [
    ["connection", "Upgrade"],
    ["upgrade", "websocket"],
    ["sec-websocket-version", "13"],
    ["sec-websocket-key", randomBytes(16).toString("base64")],
  ];
}

export const OPCODE = { more: 0, text: 1, bytes: 2, close: 8, ping: 9 };

/** One frame as a client sends it; anything may be wrong in it. */
export function renderFrame(
  opcode: number,
  payload: Uint8Array | string = "",
  {
    final = true,
    reserved = 0,
    masked = true,
    length = Buffer.byteLength(payload),
  }: {
    final?: boolean;
    /** The three reserved bits; the first means "compressed". */
    reserved?: number;
    masked?: boolean;
    /** What is announced, whatever follows. */
    length?: number;
  } = {},
): Buffer {
  const first = (final ? 0x80 : 0) | (reserved << 4) | opcode;
  const bit = masked ? 0x80 : 0;
  let head: Buffer;
  if (length < 126) head = Buffer.from([first, bit | length]);
  else if (length < 65_536) {
    head = Buffer.from([first, bit | 126, 0, 0]);
    head.writeUInt16BE(length, 2);
  } else {
    head = Buffer.concat([Buffer.from([first, bit | 127]), Buffer.alloc(8)]);
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  // A mask of zeros leaves the payload as it is, which the standard allows.
  return Buffer.concat([
    head,
    masked ? Buffer.alloc(4) : Buffer.alloc(0),
    Buffer.from(payload),
  ]);
}

/** How an attacked socket ended. */
export interface SocketEnd {
  /** Code of the daemon's close frame, `undefined` if it just hung up. */
  code: number | undefined;
  /** Text messages that came before. */
  messages: string[];
}

/** A WebSocket on which a test says every byte. */
export interface RawSocket {
  readonly connection: RawConnection;
  send(frame: Uint8Array): void;
  /** The next text or binary message. */
  next(): Promise<string>;
  /** Resolves when the other side has closed it. */
  readonly ended: Promise<SocketEnd>;
}

/**
 * Opens a socket.
 *
 * @throws Error with the status line if the daemon does not answer 101
 */
export async function openRawSocket(
  port: number,
  target: string,
  headers: readonly Header[],
): Promise<RawSocket> {
  const connection = await openRaw(port);
  const { socket } = connection;
  let received = Buffer.alloc(0);
  let isOpen = false;
  let wake = () => {};
  const messages: string[] = [];
  let code: number | undefined;
  let taken = 0;

  const opened = new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (!isOpen) {
        const end = received.indexOf("\r\n\r\n");
        if (end < 0) return;
        const [status = ""] = received.toString("latin1", 0, end).split("\r\n");
        received = received.subarray(end + 4);
        if (!status.includes(" 101 ")) return reject(new Error(status));
        isOpen = true;
        resolve();
      }
      for (let frame = take(); frame; frame = take()) {
        if (frame.opcode === OPCODE.close) {
          code = frame.payload.length > 1 ? frame.payload.readUInt16BE() : 1005;
          // The goodbye that the standard asks for, without which the daemon waits for a while.
          connection.write(renderFrame(OPCODE.close, frame.payload));
        } else if (frame.opcode <= OPCODE.bytes)
          messages.push(frame.payload.toString());
        wake();
      }
    };
    socket.on("data", read);
    void connection.closed.then(() => reject(new Error("hung up")));
  });

  function take(): { opcode: number; payload: Buffer } | undefined {
    if (received.length < 2) return undefined;
    let length = received[1]! & 0x7f;
    let start = 2;
    if (length === 126) {
      if (received.length < 4) return undefined;
      length = received.readUInt16BE(2);
      start = 4;
    } else if (length === 127) {
      if (received.length < 10) return undefined;
      length = Number(received.readBigUInt64BE(2));
      start = 10;
    }
    if (received.length < start + length) return undefined;
    const opcode = received[0]! & 0x0f;
    const payload = received.subarray(start, start + length);
    received = received.subarray(start + length);
    return { opcode, payload };
  }

  const ended = new Promise<SocketEnd>((resolve) => {
    void connection.closed.then(() => {
      wake();
      resolve({ code, messages });
    });
  });
  connection.write(
    renderRequest({ target, headers: [...handshake(), ...headers] }),
  );
  await opened;
  return {
    connection,
    ended,
    send: (frame) => connection.write(frame),
    async next() {
      for (;;) {
        const message = messages[taken];
        if (message !== undefined) {
          taken++;
          return message;
        }
        if (socket.destroyed) throw new Error(`The socket closed: ${code}`);
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
