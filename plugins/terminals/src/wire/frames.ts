import type { Socket } from "node:net";

/** What a frame between the daemon and the host of the terminals holds. */
export const FrameKind = {
  /** JSON, both ways. */
  message: 0,
  /** Output of a terminal for one viewer: the viewer's number, then bytes. */
  output: 1,
  /** Input of one viewer: the viewer's number, then bytes. */
  input: 2,
} as const;

const LENGTH_BYTES = 4;
const HEAD_BYTES = LENGTH_BYTES + 1;
const VIEWER_BYTES = 4;
/** What a frame of bytes has beside them. */
export const BYTES_HEAD_BYTES = HEAD_BYTES + VIEWER_BYTES;
/** Nothing that either side sends is as long; a longer frame is no frame. */
const MAX_FRAME_BYTES = 32 * 1024 * 1024;

/** Takes what {@link createFrameReader} finds. */
export interface FrameHandlers {
  message(message: unknown): void;
  bytes(kind: number, viewer: number, data: Buffer): void;
}

/** A frame of JSON. */
export function toMessageFrame(message: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  const head = Buffer.allocUnsafe(HEAD_BYTES);
  head.writeUInt32BE(body.length + 1, 0);
  head[LENGTH_BYTES] = FrameKind.message;
  return Buffer.concat([head, body]);
}

/** A frame of bytes of one viewer, which are not copied. */
export function toBytesFrame(
  kind: number,
  viewer: number,
  pieces: readonly Uint8Array[],
): Uint8Array[] {
  const head = Buffer.allocUnsafe(BYTES_HEAD_BYTES);
  head.writeUInt32BE(countBytes(pieces) + 1 + VIEWER_BYTES, 0);
  head[LENGTH_BYTES] = kind;
  head.writeUInt32BE(viewer, HEAD_BYTES);
  return [head, ...pieces];
}

/** Writes a frame at once. */
export function writeFrame(socket: Socket, frame: readonly Uint8Array[]): void {
  socket.cork();
  for (const part of frame) socket.write(part);
  socket.uncork();
}

export function countBytes(pieces: readonly Uint8Array[]): number {
  let bytes = 0;
  for (const { length } of pieces) bytes += length;
  return bytes;
}

/**
 * Makes a function that takes the bytes of a connection as they come and calls back for each whole frame.
 *
 * It throws a RangeError for what cannot be a frame, and whatever a message that is no JSON throws.
 */
export function createFrameReader(
  handlers: FrameHandlers,
): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;
  let needed = LENGTH_BYTES;

  function take(frame: Buffer): void {
    const kind = frame[LENGTH_BYTES];
    if (kind === FrameKind.message)
      handlers.message(JSON.parse(frame.toString("utf8", HEAD_BYTES)));
    else if (frame.length >= BYTES_HEAD_BYTES)
      handlers.bytes(
        kind ?? -1,
        frame.readUInt32BE(HEAD_BYTES),
        frame.subarray(BYTES_HEAD_BYTES),
      );
  }

  return (chunk) => {
    parts.push(chunk);
    size += chunk.length;
    // A long frame comes in many pieces, which are put together once.
    if (size < needed) return;
    let bytes = parts.length === 1 ? chunk : Buffer.concat(parts, size);
    for (;;) {
      needed = LENGTH_BYTES;
      if (bytes.length < needed) break;
      const length = bytes.readUInt32BE(0);
      if (length < 1 || length > MAX_FRAME_BYTES)
        throw new RangeError(`A frame cannot have ${length} bytes.`);
      needed = LENGTH_BYTES + length;
      if (bytes.length < needed) break;
      take(bytes.subarray(0, needed));
      bytes = bytes.subarray(needed);
    }
    parts = bytes.length > 0 ? [bytes] : [];
    size = bytes.length;
  };
}
