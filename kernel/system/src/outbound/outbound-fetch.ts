import { isGantryError } from "@gantry/plugin";
import type { OutboundFetch } from "@gantry/plugin";
import { errors } from "../errors.ts";
import { readBody, readOptions } from "./outbound-limits.ts";
import { createOutboundGuard, loadUndici } from "./outbound-target.ts";
import type { OutboundOptions } from "./outbound-target.ts";
import { followRedirect } from "./redirects.ts";
import type { RequestParts } from "./redirects.ts";

/** Creates `ctx.fetch`: http and https only, no user info, each target checked. */
export function createOutboundFetch(options: OutboundOptions): OutboundFetch {
  const guard = createOutboundGuard(options);

  return async (text, request = {}) => {
    const { init, limits } = readOptions(request);
    let target = guard.parse(text);
    let parts: RequestParts = {
      method: (init.method ?? "GET").toUpperCase(),
      headers: new Headers(init.headers),
      body: init.body,
    };
    const deadline = AbortSignal.timeout(limits.timeoutMs);
    const signal = init.signal
      ? AbortSignal.any([init.signal, deadline])
      : deadline;
    try {
      for (let count = 0; ; count += 1) {
        const { fetch } = await loadUndici();
        const answer = await fetch(target.url, {
          ...(init as object),
          ...(parts as object),
          redirect: "manual",
          dispatcher: await guard.agentFor(target),
          signal,
        });
        const next =
          limits.maxRedirects > 0
            ? followRedirect(target.url, parts, answer)
            : undefined;
        if (!next) {
          const body = await readBody(answer.body, limits);
          return toResponse(answer, body, target.url);
        }
        await answer.body?.cancel();
        if (count === limits.maxRedirects)
          throw errors.OUTBOUND_REDIRECTS({ limit: limits.maxRedirects });
        target = guard.parse(next.target.href);
        parts = next.parts;
      }
    } catch (error) {
      const { cause } = error as Error;
      // undici wraps what the guard throws while it connects.
      if (isGantryError(cause)) throw cause;
      if (deadline.aborted && !init.signal?.aborted)
        throw errors.OUTBOUND_TIMEOUT(
          { seconds: limits.timeoutMs / 1000 },
          { cause: error },
        );
      throw error;
    }
  };
}

function toResponse(
  answer: {
    status: number;
    statusText: string;
    headers: Iterable<[string, string]>;
  },
  body: Buffer<ArrayBuffer>,
  url: URL,
): Response {
  const hasBody = ![101, 204, 205, 304].includes(answer.status);
  const response = new Response(hasBody ? body : null, {
    status: answer.status,
    statusText: answer.statusText,
    headers: [...answer.headers],
  });
  // A constructed response has no address, which is needed to resolve links after a redirect.
  return Object.defineProperty(response, "url", { value: url.href });
}
