import type { ServerResponse } from "node:http";
import { renderMessage } from "@gantry/plugin";
import type { Clock, StreamClient } from "@gantry/plugin";
import { createOwnedSignal } from "@gantry/system/context/owned-signal";

/** A client with more pending bytes is disconnected; it can resume at its last event. */
const MAX_BACKLOG_BYTES = 1024 * 1024;
/** Pending bytes beyond which the sender is asked to pause. */
const PAUSE_BACKLOG_BYTES = 64 * 1024;
const HEARTBEAT_MS = 15_000;

/**
 * Turns a response into a stream. The head must have been written.
 *
 * @param plugin Id of the plugin whose listeners the stream's signal has.
 */
export function openStream(
  response: ServerResponse,
  clock: Clock,
  plugin: string,
): StreamClient {
  const gone = createOwnedSignal(plugin);
  let stopHeartbeat = () => {};
  const beat = () => {
    stopHeartbeat = clock.after(HEARTBEAT_MS, () => {
      sendText(":\n\n");
      if (!gone.signal.aborted) beat();
    });
  };
  // If the client has disconnected already, no `close` event follows.
  if (response.closed || response.destroyed) gone.abort();
  else beat();
  response.once("close", () => {
    stopHeartbeat();
    gone.abort();
  });

  function sendText(text: string): boolean {
    if (gone.signal.aborted || response.writableEnded) return false;
    if (response.writableLength + text.length > MAX_BACKLOG_BYTES) {
      response.destroy();
      return false;
    }
    response.write(text);
    return response.writableLength < PAUSE_BACKLOG_BYTES;
  }

  return {
    signal: gone.signal,
    send: (message) =>
      sendText(("text" in message ? message : renderMessage(message)).text),
    drained: () =>
      new Promise((resolve) => {
        if (
          gone.signal.aborted ||
          response.writableLength < PAUSE_BACKLOG_BYTES
        )
          return resolve();
        const done = () => {
          response.off("drain", done).off("close", done);
          resolve();
        };
        response.on("drain", done).on("close", done);
      }),
    close: () => void response.end(),
  };
}
