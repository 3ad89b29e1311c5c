import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ByteStream, BytesAnswer, Log } from "@gantry/plugin";
import type { Connections } from "./connections.ts";
import type { Exchange } from "./exchange.ts";
import { send, sendHead } from "./reply.ts";
import type { RouteRecord } from "./route-table.ts";

/** Writes an answer of bytes: at once, or as they are read. */
export function answerBytes(
  host: { connections: Connections; logOf(plugin: string): Log },
  record: RouteRecord,
  { head, response, caller }: Exchange,
  { mediaType, body, headers = {}, status = 200 }: BytesAnswer,
): void {
  const own = Object.entries(headers);
  const caches = own.some(([name]) => name.toLowerCase() === "cache-control");
  const answer = {
    status,
    mediaType,
    headers: own.flat(),
    ...(caches ? { cache: [] } : {}),
  };
  if (typeof body === "string" || body instanceof Uint8Array)
    return send(response, head.requestId, { ...answer, body });
  // Checked first: after the head is sent, the status could no longer report it.
  if (!isByteStream(body))
    throw new TypeError("The body of an answer in bytes is text or bytes.");

  const { length, stream } = body;
  if (response.headersSent || response.destroyed || head.method === "HEAD") {
    // The answer has no body, so errors of the stream do not matter.
    stream.on("error", () => {}).destroy();
    return sendHead(response, head.requestId, { ...answer, length });
  }
  sendHead(response, head.requestId, { ...answer, length });
  const remove = host.connections.add({
    caller,
    plugin: record.owner.plugin,
    end: () => response.destroy(),
  });
  void pipeline(stream, countTo(length), response)
    .catch((error: unknown) => {
      // The head is sent, so that only a closed connection can show that the body is incomplete.
      response.destroy();
      if (isOfStream(error)) return;
      host.logOf(record.owner.plugin).warn("An answer was cut short", {
        requestId: head.requestId,
        reason: String(error),
      });
    })
    .finally(remove);
}

function isByteStream(body: unknown): body is ByteStream {
  const { length, stream } = (body ?? {}) as Partial<ByteStream>;
  return Number.isSafeInteger(length) && stream instanceof Readable;
}

/** Whether an error is only that the client left. */
function isOfStream(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ERR_STREAM_PREMATURE_CLOSE" || code === "ECONNRESET";
}

/** Passes on exactly this many bytes, or fails: a file may grow or shrink while it is read. */
function countTo(length: number): Transform {
  let left = length;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      left -= chunk.length;
      if (left < 0) done(new Error("There was more to send than was said."));
      else done(null, chunk);
    },
    flush(done) {
      done(
        left > 0
          ? new Error("There was less to send than was said.")
          : undefined,
      );
    },
  });
}
