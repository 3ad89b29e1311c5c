import type { IncomingMessage } from "node:http";
import type { DataKeys } from "./data-keys.ts";
import type { HttpRequest } from "./http-request.ts";
import { errors } from "@gantry/system/errors";
import { parseJsonObject } from "./json.ts";

/** Largest body unless a route says otherwise. */
export const DEFAULT_MAX_BODY = 1024 * 1024;

/** Calls back when a body has taken too long. Gives its undo. */
export type Deadline = (late: () => void) => () => void;

/**
 * Reads a JSON object: media type first, bytes counted while they arrive, then shape. No body is `{}`.
 *
 * @throws `BODY_MEDIA_TYPE`, `BODY_TOO_LARGE`, `BODY_NOT_JSON`, `BODY_TOO_COMPLEX`, `BODY_FORBIDDEN_KEY`, `HTTP_TIMEOUT`
 */
export async function readJsonBody(
  request: HttpRequest,
  limit: number,
  deadline?: Deadline,
  dataKeys?: () => DataKeys,
): Promise<object> {
  if (!request.hasBody) return {};
  checkLength(request.message, limit);
  if (!isJson(request)) throw errors.BODY_MEDIA_TYPE();
  const bytes = await readBytes(request.message, limit, deadline);
  return bytes.length === 0 ? {} : parseJsonObject(bytes, dataKeys);
}

/** Reads bytes of any media type. @throws `BODY_TOO_LARGE`, `BODY_MEDIA_TYPE` for an encoded body, `HTTP_TIMEOUT` */
export async function readBytesBody(
  request: HttpRequest,
  limit: number,
  deadline?: Deadline,
): Promise<Uint8Array> {
  if (!request.hasBody) return new Uint8Array();
  checkLength(request.message, limit);
  if (!isIdentity(request)) throw errors.BODY_MEDIA_TYPE();
  return readBytes(request.message, limit, deadline);
}

function checkLength(message: IncomingMessage, limit: number): void {
  if (Number(message.headers["content-length"] ?? 0) > limit)
    throw errors.BODY_TOO_LARGE({ limit });
}

function isIdentity(request: HttpRequest): boolean {
  const encoding = request.header("content-encoding");
  return encoding === undefined || encoding.toLowerCase() === "identity";
}

function isJson(request: HttpRequest): boolean {
  const [type, ...more] = request.all("content-type");
  if (type === undefined || more.length > 0 || !isIdentity(request))
    return false;
  return /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type);
}

/** The announced length is only a hint: what counts is what arrives. */
function readBytes(
  message: IncomingMessage,
  limit: number,
  deadline?: Deadline,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let inTime = () => {};
    const leave = () => {
      inTime();
      message
        .off("data", onData)
        .off("end", onEnd)
        .off("error", onGone)
        .off("close", onGone);
    };
    const stop = (error: Error) => {
      leave();
      message.pause();
      reject(error);
    };
    // A client that leaves in the middle of its own request is no fault of ours.
    const onGone = () => stop(errors.HTTP_BAD_REQUEST());
    if (message.destroyed) return onGone();
    if (deadline) inTime = deadline(() => stop(errors.HTTP_TIMEOUT()));
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      if (size > limit) return stop(errors.BODY_TOO_LARGE({ limit }));
      chunks.push(chunk);
    };
    const onEnd = () => {
      leave();
      resolve(
        chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks),
      );
    };
    message
      .on("data", onData)
      .once("end", onEnd)
      .once("error", onGone)
      .once("close", onGone);
  });
}
