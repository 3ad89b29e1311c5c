import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Writes the extension that takes messages of the daemon into pi's screen; gives its path. It is written for one
 * terminal: its token is no use elsewhere.
 */
export async function writePiReceiver(
  folder: string,
  receiver: { url: string; token: string },
): Promise<string> {
  const file = join(folder, "pi-receiver.ts");
  const text = `const post = ${JSON.stringify(receiver)};\n${PROGRAM}`;
  await writeFile(file, text, { mode: 0o600 });
  // The mode above counts only for a file that was not there.
  await chmod(file, 0o600);
  return file;
}

/** What pi loads. It depends only on pi's interface for extensions and on Node. */
const PROGRAM = `
async function call(what, body, signal) {
  const response = await fetch(post.url + "/" + what, {
    method: "POST",
    headers: {
      authorization: "Bearer " + post.token,
      "content-type": "application/json",
      // Node sends some of a browser's headers, but not this one, without which they are refused.
      origin: new URL(post.url).origin,
    },
    body: JSON.stringify(body),
    signal: AbortSignal.any([signal, AbortSignal.timeout(30000)]),
  });
  if (!response.ok) throw new Error("The daemon answered " + response.status + ".");
  return await response.json();
}

export default function (pi) {
  // What was handed over is not handed over again, though its confirmation may have been lost.
  const handed = new Map();
  let stop = new AbortController();

  function hand(text) {
    try {
      pi.sendUserMessage(text, { deliverAs: "followUp" });
      return { ok: true };
    } catch (error) {
      return { ok: false, reason: String(error && error.message ? error.message : error).slice(0, 300) };
    }
  }

  async function receive(session, signal) {
    while (!signal.aborted) {
      try {
        const { messages = [] } = await call("tui-hello", { ...session, pid: process.pid }, signal);
        for (const { nonce, text } of messages) {
          if (!handed.has(nonce)) handed.set(nonce, hand(text));
          await call("tui-ack", { nonce, ...handed.get(nonce) }, signal);
        }
      } catch {
        // The daemon is away; it may come back.
        await new Promise((resolve) => setTimeout(resolve, 1000).unref());
      }
    }
  }

  pi.on("session_start", (_event, ctx) => {
    stop.abort();
    stop = new AbortController();
    // By its file pi finds a conversation again that was begun here, with /new.
    const session = {
      sessionId: ctx.sessionManager.getSessionId(),
      resumeKey: ctx.sessionManager.getSessionFile?.() ?? null,
    };
    void receive(session, stop.signal);
  });
  pi.on("session_shutdown", () => stop.abort());
}
`;
