import type { OutboundRequest } from "@gantry/plugin";
import { errors } from "../errors.ts";

const DEFAULT_TIMEOUT_MS = 10_000;
const MAX_TIMEOUT_MS = 300_000;
const DEFAULT_ANSWER_BYTES = 64 * 1024;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const MAX_REDIRECTS = 10;

/** Limits of one request; see `OutboundRequest`. */
export interface OutboundLimits {
  timeoutMs: number;
  maxBytes: number;
  overflow: "error" | "truncate";
  maxRedirects: number;
}

/** Separates the limits from the options of `fetch`. Throws a TypeError for a limit out of range. */
export function readOptions({
  timeoutMs = DEFAULT_TIMEOUT_MS,
  maxBytes = DEFAULT_ANSWER_BYTES,
  overflow = "error",
  maxRedirects = 0,
  ...init
}: OutboundRequest): { init: RequestInit; limits: OutboundLimits } {
  checkLimit("timeoutMs", timeoutMs, 1, MAX_TIMEOUT_MS);
  checkLimit("maxBytes", maxBytes, 0, MAX_ANSWER_BYTES);
  checkLimit("maxRedirects", maxRedirects, 0, MAX_REDIRECTS);
  return { init, limits: { timeoutMs, maxBytes, overflow, maxRedirects } };
}

function checkLimit(name: string, value: number, min: number, max: number) {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new TypeError(
    `${name} is ${value}; it must be a whole number from ${min} to ${max}.`,
  );
}

/** Reads a body up to its limit. Throws `OUTBOUND_TOO_LARGE` for a larger one, unless it is to be truncated. */
export async function readBody(
  stream: AsyncIterable<Uint8Array> | null,
  { maxBytes, overflow }: OutboundLimits,
): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream ?? []) {
    // Leaving the loop cancels the stream, so an endless answer ends here.
    if (size + chunk.length > maxBytes) {
      if (overflow === "error")
        throw errors.OUTBOUND_TOO_LARGE({ limit: maxBytes });
      chunks.push(chunk.subarray(0, maxBytes - size));
      break;
    }
    chunks.push(chunk);
    size += chunk.length;
  }
  return Buffer.concat(chunks);
}
