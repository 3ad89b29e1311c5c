import { chmod, writeFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Writes the extension that delivers messages from the daemon to pi's screen; returns its path. It is written for one
 * terminal: its token is valid nowhere else.
 */
export async function writePiReceiver(
  folder: string,
  receiver: { url: string; token: string },
): Promise<string> {
  const file = join(folder, "pi-receiver.ts");
  const text = `const post = ${JSON.stringify(receiver)};\n${PROGRAM}`;
  await writeFile(file, text, { mode: 0o600 });
  // The mode above applies only to a new file.
  await chmod(file, 0o600);
  return file;
}

/** The extension's source. It depends only on pi's interface for extensions and on Node. */
const PROGRAM = `
async function call(what, body, signal) {
  const response = await fetch(post.url + "/" + what, {
    method: "POST",
    headers: {
      authorization: "Bearer " + post.token,
      "content-type": "application/json",
      // Node sends some of a browser's headers, but not this one; without it they are refused.
      origin: new URL(post.url).origin,
    },
    body: JSON.stringify(body),
    signal: AbortSignal.any([signal, AbortSignal.timeout(30000)]),
  });
  if (!response.ok) throw new Error("The daemon answered " + response.status + ".");
  return await response.json();
}

export default function (pi) {
  // A delivered message is not delivered again, even if its confirmation was lost.
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
        // The daemon is unreachable; it may return.
        await new Promise((resolve) => setTimeout(resolve, 1000).unref());
      }
    }
  }

  pi.on("session_start", (_event, ctx) => {
    stop.abort();
    stop = new AbortController();
    // pi needs the file to find a conversation again that was started here with /new.
    const session = {
      sessionId: ctx.sessionManager.getSessionId(),
      resumeKey: ctx.sessionManager.getSessionFile?.() ?? null,
    };
    void receive(session, stop.signal);
  });
  pi.on("session_shutdown", () => stop.abort());
}
`;
