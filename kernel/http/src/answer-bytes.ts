import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ByteStream, BytesAnswer, Log } from "@gantry/plugin";
import type { Connections } from "./connections.ts";
import type { HttpRequest } from "./http-request.ts";
import { send } from "./reply.ts";
import type { RouteRecord } from "./route-table.ts";

/** Dependencies of {@link answerBytes}. */
interface AnswerBytesHost {
  connections: Pick<Connections, "add">;
  logOf(plugin: string): Log;
}

/** Writes an answer of bytes: at once, or as they are read. */
export function answerBytes(
  host: AnswerBytesHost,
  record: RouteRecord,
  { method, response, requestId, caller }: HttpRequest,
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
    return send(response, requestId, { ...answer, body });
  // Found out later it would be in the middle of an answer that says that all is well.
  if (!isByteStream(body))
    throw new TypeError("The body of an answer in bytes is text or bytes.");

  const { length, stream } = body;
  if (response.headersSent || response.destroyed || method === "HEAD") {
    // Errors of a stream that is not read are of no interest.
    stream.on("error", () => {}).destroy();
    return send(response, requestId, { ...answer, length });
  }
  send(response, requestId, { ...answer, length });
  const remove = host.connections.add({
    caller,
    plugin: record.owner.plugin,
    end: () => response.destroy(),
  });
  void pipeline(stream, countTo(length), response)
    .catch((error: unknown) => {
      // The head is out, so that only a cut connection tells that this is not all.
      response.destroy();
      if (isOfStream(error)) return;
      host.logOf(record.owner.plugin).warn("An answer was cut short", {
        requestId,
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

/** Fails unless exactly `length` bytes pass: a file may grow or shrink while it is read. */
function countTo(length: number): Transform {
  let left = length;
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      left -= chunk.length;
      if (left < 0) done(new Error("There was more to send than was said."));
      else done(null, chunk);
    },
    flush(done) {
      if (left > 0) done(new Error("There was less to send than was said."));
      else done();
    },
  });
}
