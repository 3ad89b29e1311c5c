import type { ServerResponse } from "node:http";
import type {
  Clock,
  EventStreamAnswer,
  Log,
  StreamClient,
  StreamMessage,
} from "@gantry/plugin";
import { createOwnedSignal } from "@gantry/system/context/owned-signal";
import { runInContext } from "@gantry/system/context/work-context";
import { errors } from "@gantry/system/errors";
import type { Connections } from "./connections.ts";
import type { HttpRequest } from "./http-request.ts";
import { setSecurityHeaders } from "./reply.ts";
import type { RouteRecord } from "./route-table.ts";

/** A client for which more than this waits is dropped; it resumes where it was. */
const MAX_BACKLOG_BYTES = 1024 * 1024;
/** Bytes that may wait before the sender is asked to pause. */
const PAUSE_BACKLOG_BYTES = 64 * 1024;
const HEARTBEAT_MS = 15_000;
/** Time that a client gets to read what it was sent before its stream is cut. */
const CLOSE_TIMEOUT_MS = 500;

/** Dependencies of {@link answerStream}. */
interface AnswerStreamHost {
  clock: Clock;
  connections: Connections;
  logOf(plugin: string): Log;
}

/** Opens a stream of events, which stays open until either side ends it. */
export function answerStream(
  { clock, connections, logOf }: AnswerStreamHost,
  { owner: { plugin } }: RouteRecord,
  { method, response, requestId, caller }: HttpRequest,
  answer: EventStreamAnswer,
): void {
  // The session may have been revoked while the handler ran.
  if (!connections.isCurrent(caller)) throw errors.AUTH_NOT_PAIRED();
  setSecurityHeaders(response, requestId);
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-store",
    // Proxies that collect an answer before they pass it on would hold every event back.
    "x-accel-buffering": "no",
  });
  if (method === "HEAD") return void response.end();
  const stream = openStream(response, clock, plugin);
  if (stream.signal.aborted) return;
  const remove = connections.add({
    caller,
    plugin,
    end(reason) {
      if (reason === "stopping") stream.send({ event: "bye", data: {} });
      stream.close();
      // A client that does not read would hold its stream open for ever.
      setTimeout(() => response.destroy(), CLOSE_TIMEOUT_MS).unref();
    },
  });
  stream.signal.addEventListener("abort", remove);
  response.flushHeaders();
  void runInContext({ plugin, requestId }, async () => {
    try {
      await answer.open(stream);
    } catch (error) {
      if (!stream.signal.aborted)
        logOf(plugin).error("Stream failed", { requestId }, error);
      stream.close();
    }
  });
}

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
function openStream(
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
  // A client that has left already closes no response.
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
