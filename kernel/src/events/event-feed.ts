import type { EventRecord } from "@gantry/plugin";
import { renderMessage } from "../http/event-stream.ts";
import type { OpenStream } from "../http/event-stream.ts";
import type { StoreCore } from "../store/store-core.ts";
import type { EventLog } from "./event-log.ts";

/** Events read at once while a client catches up. */
const PAGE = 500;

/** Dependencies of {@link createEventFeed}. */
export interface EventFeedHost {
  core: StoreCore;
  log: EventLog;
  /** Changes with each start of the daemon. */
  bootId: string;
}

/** Sends events to clients that follow them. */
export interface EventFeed {
  /**
   * Sends `hello`, then what happened behind a position, then what happens. A position that is not known gets `reset`.
   *
   * @param start `undefined` for what happens from now on.
   */
  follow(
    client: OpenStream,
    start: number | undefined,
    matches: (type: string) => boolean,
  ): Promise<void>;
}

/** Makes the feed of a store's events. */
export function createEventFeed(host: EventFeedHost): EventFeed {
  const { core, log, bootId } = host;
  const live = createLiveFeed(core);

  async function follow(
    client: OpenStream,
    start: number | undefined,
    matches: (type: string) => boolean,
  ) {
    const latest = core.latestEventId();
    client.send({ event: "hello", data: { bootId, latest } });
    let position = latest;
    if (start !== undefined) {
      const isKnown = start >= core.eventFloor && start <= latest;
      if (!isKnown || start + 1 < (await log.oldest()))
        client.send({ event: "reset", data: { latest } });
      else position = start;
    }
    await catchUp(client, position, matches);
    // Nothing is awaited since the last look at the log, so no event falls in between and none comes twice.
    live.join(client, matches);
  }

  async function catchUp(
    client: OpenStream,
    start: number,
    matches: (type: string) => boolean,
  ) {
    let position = start;
    while (position < core.latestEventId() && !client.signal.aborted) {
      const upTo = core.latestEventId();
      const events = await log.read(position, PAGE, upTo);
      for (const event of events) {
        if (!matches(event.type)) continue;
        if (!client.sendRendered(renderEvent(event))) await client.drained();
      }
      position = events.at(-1)?.id ?? upTo;
    }
  }

  return { follow };
}

function renderEvent(event: EventRecord): string {
  return renderMessage({
    id: String(event.id),
    event: event.type,
    data: event,
  });
}

/** Hands new events to the clients that follow, each rendered once however many there are. */
function createLiveFeed(core: StoreCore) {
  const clients = new Set<
    (event: EventRecord, rendered: () => string) => void
  >();
  core.subscribe((events) => {
    for (const event of events) {
      let text: string | undefined;
      const rendered = () => (text ??= renderEvent(event));
      for (const receive of clients) receive(event, rendered);
    }
  });

  return {
    /** Passes on what is stored from now on, until the client leaves. */
    join(client: OpenStream, matches: (type: string) => boolean): void {
      if (client.signal.aborted) return;
      const receive = (event: EventRecord, rendered: () => string) => {
        if (matches(event.type)) client.sendRendered(rendered());
      };
      clients.add(receive);
      client.signal.addEventListener("abort", () => clients.delete(receive));
    },
  };
}
