import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";

/** Collects a stream up to a number of bytes; the rest is read and dropped, so that the writer never hangs. */
export function createOutputBuffer(stream: Readable, maxBytes: number) {
  const chunks: Buffer[] = [];
  let size = 0;
  let truncated = false;
  stream.on("data", (chunk: Buffer) => {
    const room = maxBytes - size;
    if (chunk.length > room) truncated = true;
    if (room <= 0) return;
    chunks.push(chunk.subarray(0, room));
    size += Math.min(chunk.length, room);
  });
  return {
    /** Resolves when the stream is at its end, cut short or not. */
    ended: finished(stream).catch(() => {}),
    text: (encoding: "utf8" | "latin1" = "utf8") =>
      Buffer.concat(chunks).toString(encoding),
    truncated: () => truncated,
  };
}
