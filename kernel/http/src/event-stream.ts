import type { ServerResponse } from "node:http";
import type { Clock, StreamClient, StreamMessage } from "@gantry/plugin";
import { createOwnedSignal } from "@gantry/system/context/owned-signal";

/** A client for which more than this waits is dropped; it resumes where it was. */
const MAX_BACKLOG_BYTES = 1024 * 1024;
/** Bytes that may wait before the sender is asked to pause. */
const PAUSE_BACKLOG_BYTES = 64 * 1024;
const HEARTBEAT_MS = 15_000;

/** What is sent to many clients, as it goes over the wire. */
const rendered = new WeakMap<StreamMessage, string>();

/** Writes a message in the form of an event stream. JSON has no line ends, so no text can forge a field. */
function renderMessage({ id, event, data }: StreamMessage): string {
  const field = (name: string, value: string | undefined) =>
    value === undefined ? "" : `${name}: ${value.replace(/[\r\n\0]/g, " ")}\n`;
  return `${field("id", id)}${field("event", event)}data: ${JSON.stringify(data) ?? "null"}\n\n`;
}

/**
 * Turns a response into a stream. The head must have been written.
 *
 * @param plugin Whose listeners the stream's signal has.
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
  // A client that has left already closes nothing any more.
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
    send(message) {
      const text = rendered.get(message) ?? renderMessage(message);
      rendered.set(message, text);
      return sendText(text);
    },
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
