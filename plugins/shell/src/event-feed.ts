import { randomBytes } from "node:crypto";
import { AnyEvent } from "@gantry/plugin";
import type {
  EventRecord,
  PluginContext,
  StreamClient,
  StreamMessage,
} from "@gantry/plugin";

/** Events read at once while a client catches up. */
const PAGE = 500;

/** Sends events to clients that follow them. */
export interface EventFeed {
  /**
   * Sends `hello`, then what happened behind a position, then what happens. A position that is not known gets `reset`.
   *
   * @param start `undefined` for what happens from now on.
   */
  follow(
    client: StreamClient,
    start: number | undefined,
    matches: (type: string) => boolean,
  ): Promise<void>;
}

/** Makes the feed of the daemon's events. */
export function createEventFeed(ctx: PluginContext): EventFeed {
  const { latest, holds, read } = ctx.events;
  const live = createLiveFeed(ctx);
  // Changes with each start of the daemon.
  const bootId = randomBytes(9).toString("base64url");

  async function follow(
    client: StreamClient,
    start: number | undefined,
    matches: (type: string) => boolean,
  ) {
    let position = latest();
    client.send({ event: "hello", data: { bootId, latest: position } });
    if (start !== undefined) {
      if (await holds(start)) position = start;
      else client.send({ event: "reset", data: { latest: position } });
    }
    await catchUp(client, position, matches);
    // Nothing is awaited since the last look at the log, so no event falls in between and none comes twice.
    live.join(client, matches);
  }

  async function catchUp(
    client: StreamClient,
    start: number,
    matches: (type: string) => boolean,
  ) {
    let position = start;
    while (position < latest() && !client.signal.aborted) {
      const upTo = latest();
      const events = await read(position, PAGE, upTo);
      for (const event of events) {
        if (!matches(event.type)) continue;
        if (!client.send(toMessage(event))) await client.drained();
      }
      position = events.at(-1)?.id ?? upTo;
    }
  }

  return { follow };
}

const toMessage = (event: EventRecord): StreamMessage => ({
  id: String(event.id),
  event: event.type,
  data: event,
});

/** Hands new events to the clients that follow, each as one message however many there are. */
function createLiveFeed({ on }: Pick<PluginContext, "on">) {
  const clients = new Set<(message: StreamMessage, type: string) => void>();
  on(AnyEvent, (event) => {
    const message = toMessage(event);
    for (const receive of clients) receive(message, event.type);
  });

  return {
    /** Passes on what is stored from now on, until the client leaves. */
    join(client: StreamClient, matches: (type: string) => boolean): void {
      if (client.signal.aborted) return;
      const receive = (message: StreamMessage, type: string) => {
        if (matches(type)) client.send(message);
      };
      clients.add(receive);
      client.signal.addEventListener("abort", () => clients.delete(receive));
    },
  };
}
