import type {
  EventLog,
  EventRecord,
  RenderedMessage,
  StreamClient,
} from "@gantry/plugin";
import { renderEvent } from "./render-event.ts";
import type { TypeFilter } from "./type-filter.ts";

/** Sends new events to the clients that have caught up. */
export interface LiveFeed {
  /** Sends the client the events that are stored from now on, until it disconnects. */
  join(client: StreamClient, matches: TypeFilter): void;
}

type Receive = (event: EventRecord, rendered: () => RenderedMessage) => void;

/** Creates a feed that renders each event once for all of its clients. */
export function createLiveFeed(eventLog: Pick<EventLog, "follow">): LiveFeed {
  const clients = new Set<Receive>();
  eventLog.follow((events) => {
    for (const event of events) {
      let message: RenderedMessage | undefined;
      const rendered = () => (message ??= renderEvent(event));
      for (const receive of clients) receive(event, rendered);
    }
  });

  return {
    join(client, matches) {
      if (client.signal.aborted) return;
      const receive: Receive = (event, rendered) => {
        if (matches(event.type)) client.send(rendered());
      };
      clients.add(receive);
      client.signal.addEventListener("abort", () => clients.delete(receive));
    },
  };
}
