import { request } from "node:http";
import type { Agent, IncomingHttpHeaders } from "node:http";

/** An answer, with its body as bytes. */
export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Sends one request with exactly these headers. Rejects without an answer. */
export function send(
  url: string,
  {
    method = "GET",
    headers = {},
    body,
    bytes,
    signal,
    agent = false,
  }: {
    method?: string;
    headers?: Record<string, string>;
    /** Sent as JSON. */
    body?: object;
    /** Sent as they are, under the media type that the headers name. */
    bytes?: Buffer;
    signal?: AbortSignal;
    /** Keeps connections; each request has one of its own otherwise. */
    agent?: Agent | false;
  } = {},
): Promise<Answer> {
  const payload = body === undefined ? bytes : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const message = request(
      url,
      {
        method,
        agent,
        signal,
        headers: {
          ...(body ? { "content-type": "application/json" } : {}),
          // Of a DELETE, Node sends a body without saying that there is one.
          ...(payload ? { "content-length": Buffer.byteLength(payload) } : {}),
          ...headers,
        },
      },
      (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.once("error", reject);
        response.once("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(parts),
          }),
        );
      },
    );
    message.once("error", reject).end(payload);
  });
}

const STEP_MS = 2;

/** Asks until the answer is a 200. Rejects after 20 s, and with the signal's reason when it aborts. */
export async function waitFor200(
  url: string,
  signal: AbortSignal,
  headers?: Record<string, string>,
): Promise<void> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    const answer = await send(url, { headers, signal }).catch(() => undefined);
    if (answer?.status === 200) return;
    signal.throwIfAborted();
    if (performance.now() > deadline)
      throw new Error(
        `${url} did not answer 200 in 20 s, but ${answer?.status ?? "not at all"}.`,
      );
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
}
