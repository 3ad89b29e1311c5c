import { request } from "node:http";
import type { Daemon } from "./daemon.ts";
import { readToken } from "./daemon.ts";

/** An event as the stream tells it. */
export interface StreamEvent {
  id: number;
  type: string;
  subject: string;
  data: Record<string, unknown>;
}

/** What one connection to the stream brought before it was cut. */
export interface Glimpse {
  /** Whole events, in the order in which they came. */
  events: StreamEvent[];
  /** Whether the daemon said that the place is not known any more. */
  isReset: boolean;
  bytes: number;
}

/** Connects to the stream behind an event, and cuts the connection when it has seen enough. */
export interface EventFollower {
  follow(
    after: number,
    until: {
      /** Cut as soon as this number of events has come. */
      events?: number;
      /** Cut as soon as this event has come. */
      id?: number;
      /** Cut after this number of bytes, wherever they end. */
      bytes?: number;
      /** Cut when this aborts. */
      signal?: AbortSignal;
    },
  ): Promise<Glimpse>;
}

/** Follows the events of a daemon as a client of its own does that comes back by `Last-Event-ID`. */
export async function createEventFollower(
  daemon: Daemon,
): Promise<EventFollower> {
  const token = await readToken(daemon.home);
  return {
    follow: (after, until) =>
      new Promise((resolve, reject) => {
        const glimpse: Glimpse = { events: [], isReset: false, bytes: 0 };
        let text = "";
        const message = request(new URL("/api/events", daemon.base), {
          headers: {
            authorization: `Bearer ${token}`,
            "last-event-id": String(after),
          },
        });
        const cut = () => {
          until.signal?.removeEventListener("abort", cut);
          message.destroy();
          resolve(glimpse);
        };
        if (until.signal?.aborted) return cut();
        until.signal?.addEventListener("abort", cut);
        message.once("error", reject).once("response", (response) => {
          // Cutting it is what this is for.
          response.on("error", () => {});
          response.on("data", (chunk: Buffer) => {
            const room = (until.bytes ?? Infinity) - glimpse.bytes;
            const taken = chunk.subarray(0, room);
            glimpse.bytes += taken.length;
            text += taken.toString("latin1");
            for (let end = text.indexOf("\n\n"); end >= 0;) {
              take(text.slice(0, end), glimpse);
              text = text.slice(end + 2);
              end = text.indexOf("\n\n");
              const last = glimpse.events.at(-1)?.id ?? after;
              const count = glimpse.events.length;
              if (
                count >= (until.events ?? Infinity) ||
                last >= (until.id ?? Infinity)
              )
                return cut();
            }
            if (taken.length === room) cut();
          });
        });
        message.end();
      }),
  };
}

function take(block: string, glimpse: Glimpse): void {
  const fields = new Map(
    block.split("\n").map((line): [string, string] => {
      const colon = line.indexOf(": ");
      return [line.slice(0, colon), line.slice(colon + 2)];
    }),
  );
  if (fields.get("event") === "reset") glimpse.isReset = true;
  if (!fields.has("id")) return;
  const data = Buffer.from(fields.get("data") ?? "", "latin1").toString();
  glimpse.events.push(JSON.parse(data) as StreamEvent);
}
