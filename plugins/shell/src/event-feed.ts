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
/** Clients that something is sent to before others get their turn. */
const CLIENTS_AT_ONCE = 100;

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

/** A client that gets what happens. */
interface Follower {
  client: StreamClient;
  matches: (type: string) => boolean;
  /** The number of the first message that it has not got. */
  next: number;
}

/**
 * Hands new events to the clients that follow, each as one message however many there are. Where there are very many, others
 * get their turn in between, and what has happened by then goes out together.
 */
function createLiveFeed({ on }: Pick<PluginContext, "on">) {
  const followers = new Set<Follower>();
  /** What some have not got, and the number of the first. */
  let recent: { type: string; message: StreamMessage }[] = [];
  let first = 0;
  let isSending = false;
  on(AnyEvent, (event) => {
    recent.push({ type: event.type, message: toMessage(event) });
    if (!isSending) void sendAll();
  });
  const end = () => first + recent.length;

  async function sendAll(): Promise<void> {
    isSending = true;
    try {
      while (recent.length > 0) {
        const upTo = end();
        let count = 0;
        for (const follower of followers) {
          send(follower);
          count += 1;
          if (count % CLIENTS_AT_ONCE === 0) await new Promise(setImmediate);
        }
        recent = recent.slice(upTo - first);
        first = upTo;
      }
    } finally {
      isSending = false;
    }
  }

  function send(follower: Follower): void {
    const { client, matches } = follower;
    for (; follower.next < end(); follower.next += 1) {
      const one = recent[follower.next - first];
      if (one && matches(one.type)) client.send(one.message);
    }
  }

  return {
    /** Passes on what is stored from now on, until the client leaves. */
    join(client: StreamClient, matches: (type: string) => boolean): void {
      if (client.signal.aborted) return;
      const follower = { client, matches, next: end() };
      followers.add(follower);
      client.signal.addEventListener("abort", () => followers.delete(follower));
    },
  };
}
