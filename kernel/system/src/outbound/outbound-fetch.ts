import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { LookupFunction } from "node:net";
import { isGantryError } from "@gantry/plugin";
import { ADDRESS_CHOICE, findAddresses, refuse } from "./address-guard.ts";
import type { OutboundRules } from "./address-guard.ts";

const LIMIT_MS = 10_000;
/** Most of an answer that is read. */
const MAX_BYTES = 64 * 1024;

/** `fetch` for requests that leave this machine. */
export type OutboundFetch = (
  url: string,
  init?: RequestInit,
) => Promise<Response>;

/**
 * Makes the guarded fetch: http and https only, no user info, no redirects, 10 s, 64 KiB. What counts is the address
 * that is connected to, not what the name resolved to a moment before.
 *
 * @throws `OUTBOUND_REFUSED` for a target that is not called
 */
export function createOutboundFetch(rules: OutboundRules): OutboundFetch {
  return async (target, init = {}) => {
    const url = URL.parse(target);
    if (!url || !["http:", "https:"].includes(url.protocol))
      refuse("it is no http or https address");
    if (url.username || url.password) refuse("it has a user name in it");
    const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
    const deadline = AbortSignal.timeout(LIMIT_MS);
    const signal = init.signal
      ? AbortSignal.any([init.signal, deadline])
      : deadline;
    try {
      const found = await findAddresses(
        { host: url.hostname, port },
        rules,
        signal,
      );
      const answer = await send(new Request(url, init), {
        // A connection takes exactly the addresses that were judged.
        lookup: (_name, _options, callback) => callback(null, found),
        signal,
      });
      return await toResponse(answer);
    } catch (error) {
      if (isGantryError(error)) throw error;
      signal.throwIfAborted();
      // As the global `fetch` does.
      throw new TypeError("fetch failed", { cause: error });
    }
  };
}

/** Sends a request on a connection of its own, and resolves when its answer begins. */
async function send(
  request: Request,
  options: { lookup: LookupFunction; signal: AbortSignal },
): Promise<IncomingMessage> {
  const url = new URL(request.url);
  const body = Buffer.from(await request.arrayBuffer());
  const { request: open } = await (url.protocol === "https:"
    ? import("node:https")
    : import("node:http"));
  const outgoing = open(url, {
    ...options,
    ...ADDRESS_CHOICE,
    agent: false,
    method: request.method,
    headers: {
      ...Object.fromEntries(request.headers),
      "accept-encoding": "identity",
      ...(body.length > 0 && { "content-length": body.length }),
    },
  });
  outgoing.end(body);
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  return answer;
}

/** Reads an answer as far as it is read. */
async function toResponse(answer: IncomingMessage): Promise<Response> {
  const { statusCode: status = 0, statusMessage, rawHeaders } = answer;
  const body = await readUpTo(answer, MAX_BYTES);
  const headers = new Headers();
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers.append(rawHeaders[index] ?? "", rawHeaders[index + 1] ?? "");
  const hasBody = ![204, 205, 304].includes(status);
  const statusText = statusMessage ?? "";
  return new Response(hasBody ? body : null, { status, statusText, headers });
}

async function readUpTo(
  stream: AsyncIterable<Uint8Array>,
  most: number,
): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    chunks.push(chunk.subarray(0, most - size));
    size += chunk.length;
    // Leaving the loop cancels the stream, so an endless answer ends here.
    if (size >= most) break;
  }
  return Buffer.concat(chunks);
}
