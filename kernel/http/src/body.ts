import type { IncomingMessage } from "node:http";
import type { Clock, RouteDefinition } from "@gantry/plugin";
import type { HttpRequest } from "./http-request.ts";
import { errors } from "@gantry/system/errors";
import { parseJsonObject } from "./json.ts";

/** Largest body unless a route says otherwise. */
export const DEFAULT_MAX_BODY = 1024 * 1024;
/** Time in which a client without a session must have sent its body. */
const UNAUTHENTICATED_BODY_MS = 10_000;

/**
 * Reads the body that an operation takes: bytes of any media type, or a JSON object. Media type first, bytes counted while
 * they arrive, then shape. No body is `{}`.
 *
 * @throws `BODY_MEDIA_TYPE`, also for an encoded body, `BODY_TOO_LARGE`, `BODY_NOT_JSON`, `BODY_TOO_COMPLEX`,
 * `BODY_FORBIDDEN_KEY`, `HTTP_TIMEOUT`
 */
export async function readBody(
  {
    body: schema,
    maxBody: limit = DEFAULT_MAX_BODY,
    access,
  }: Pick<RouteDefinition, "body" | "maxBody" | "access">,
  request: HttpRequest,
  clock: Clock,
): Promise<object> {
  const isBytes = schema === "bytes";
  if (!request.hasBody) return isBytes ? new Uint8Array() : {};
  const { message } = request;
  if (Number(message.headers["content-length"] ?? 0) > limit)
    throw errors.BODY_TOO_LARGE({ limit });
  const isAccepted = isBytes ? isIdentity(request) : isJson(request);
  if (!isAccepted) throw errors.BODY_MEDIA_TYPE();
  const bytes = await readBytes(
    message,
    limit,
    access === "self"
      ? (late) => clock.after(UNAUTHENTICATED_BODY_MS, late)
      : undefined,
  );
  if (isBytes) return bytes;
  return bytes.length === 0 ? {} : parseJsonObject(bytes, schema);
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
  startTimeout?: (late: () => void) => () => void,
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
    inTime = startTimeout?.(() => stop(errors.HTTP_TIMEOUT())) ?? inTime;
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
