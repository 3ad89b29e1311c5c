import type { Clock, EventStreamAnswer, Log } from "@gantry/plugin";
import { runInContext } from "@gantry/system/context/work-context";
import { errors } from "@gantry/system/errors";
import type { Connections } from "./connections.ts";
import { openStream } from "./event-stream.ts";
import type { HttpRequest } from "./http-request.ts";
import { setSecurityHeaders } from "./reply.ts";
import type { RouteRecord } from "./route-table.ts";

/** Time that a client gets to read what it was sent before its stream is cut. */
const CLOSE_TIMEOUT_MS = 500;

/** Dependencies of {@link answerStream}. */
interface AnswerStreamHost {
  clock: Clock;
  connections: Connections;
  logOf(plugin: string): Log;
}

/** Opens a stream of events, which goes on until either side ends it. */
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
