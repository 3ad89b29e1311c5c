import { setTimeout as sleep } from "node:timers/promises";
import { readFile } from "node:fs/promises";

/** Where a receiver registers. */
interface Post {
  url: string;
  token: string;
}

const PAUSE_MS = 1000;

/**
 * Requests messages from the daemon and delivers them, until the signal aborts. A delivered message is not delivered
 * again, even if its confirmation was lost.
 */
export async function receive(
  file: string,
  sessionId: string,
  hand: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const post = JSON.parse(await readFile(file, "utf8")) as Post;
  const handed = new Set<string>();
  while (!signal.aborted) {
    try {
      const body = { sessionId, pid: process.pid };
      const { messages = [] } = (await call(
        post,
        "tui-hello",
        body,
        signal,
      )) as {
        messages?: { nonce: string; text: string }[];
      };
      for (const { nonce, text } of messages) {
        if (!handed.has(nonce)) hand(text);
        handed.add(nonce);
        await call(post, "tui-ack", { nonce, ok: true }, signal);
      }
    } catch {
      // The daemon is unreachable; it may return.
      await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

async function call(
  { url, token }: Post,
  what: string,
  body: object,
  signal: AbortSignal,
): Promise<unknown> {
  // eslint-disable-next-line gantry/no-bare-fetch -- a program of its own, outside of the daemon, that calls the daemon
  const response = await fetch(`${url}/${what}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      // Node's fetch sends some of a browser's headers, but not this one; without it they are refused.
      origin: new URL(url).origin,
    },
    body: JSON.stringify(body),
    signal: AbortSignal.any([signal, AbortSignal.timeout(30_000)]),
  });
  if (!response.ok) throw new Error(`The daemon answered ${response.status}.`);
  return await response.json();
}
