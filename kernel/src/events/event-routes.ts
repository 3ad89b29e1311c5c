import { defineRoute, eventStream } from "@gantry/plugin";
import type {
  EventRecord,
  RouteDefinition,
  StreamClient,
} from "@gantry/plugin";
import { timestamp } from "@gantry/plugin/zod";
import * as z from "zod";
import { errors } from "../errors.ts";
import { renderMessage } from "../http/event-stream.ts";
import type { OpenStream } from "../http/event-stream.ts";
import type { StoreCore } from "../store/store-core.ts";
import type { EventLog } from "./event-log.ts";

/** Events read at once while a client catches up. */
const PAGE = 500;

const EventView = z
  .object({
    id: z.number().int(),
    at: timestamp,
    type: z.string(),
    plugin: z.string(),
    subject: z.string(),
    data: z.unknown(),
  })
  .meta({ id: "Event" });

const position = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER);
const types = z
  .string()
  .max(1024)
  .regex(
    /^[a-z0-9.*-]+(,[a-z0-9.*-]+)*$/,
    "is a list such as agents.*,automations.run-finished",
  )
  .optional();

/** What the event operations stand on. */
export interface EventRoutesHost {
  core: StoreCore;
  log: EventLog;
  /** Changes with each start of the daemon. */
  bootId: string;
}

/** Reads the log as a stream that resumes without a gap, and as a list. */
export function createEventRoutes(host: EventRoutesHost): RouteDefinition[] {
  const { log, bootId } = host;
  const live = createLiveFeed(host.core);

  async function follow(
    client: OpenStream,
    start: number | undefined,
    matches: (type: string) => boolean,
  ) {
    // Taken before the log is read: what comes later is live, what came before is in the log, nothing is in both.
    const feed = live.join(client, matches);
    try {
      client.send({ event: "hello", data: { bootId, latest: feed.from } });
      if (start !== undefined) {
        const oldest = await log.oldest();
        if (start > feed.from || start + 1 < oldest)
          client.send({ event: "reset", data: { latest: feed.from } });
        else await replay(client, start, feed.from, matches);
      }
      feed.release();
    } catch (error) {
      feed.leave();
      throw error;
    }
  }

  async function replay(
    client: OpenStream,
    start: number,
    upTo: number,
    matches: (type: string) => boolean,
  ) {
    for (let after = start; after < upTo && !client.signal.aborted;) {
      const events = await log.read(after, PAGE, upTo);
      const last = events.at(-1);
      if (!last) return;
      for (const event of events)
        if (matches(event.type)) client.sendRendered(renderEvent(event));
      after = last.id;
      await client.drained();
    }
  }

  return [
    defineRoute({
      method: "GET",
      path: "/api/events",
      summary: "Follow all events",
      description:
        "Server-sent events. `hello {bootId, latest}` first. Resume with `Last-Event-ID` or `after`; a position older than the log gets `reset`. `types` narrows. At a clean stop: `bye`.",
      access: "session",
      query: z.strictObject({ after: position.optional(), types }),
      returns: "event-stream",
      handle({ query, header }) {
        const start = query.after ?? parseLastEventId(header("last-event-id"));
        const matches = createTypeFilter(query.types);
        return eventStream((client: StreamClient) =>
          follow(client as OpenStream, start, matches),
        );
      },
    }),
    defineRoute({
      method: "GET",
      path: "/api/events/log",
      summary: "Past events",
      access: "session",
      query: z.strictObject({
        after: position.default(0),
        limit: z.coerce.number().int().min(1).max(500).default(50),
        types,
      }),
      returns: z.object({
        items: z.array(EventView),
        nextCursor: z.string().nullable(),
        latest: z.number(),
      }),
      async handle({ query }) {
        const matches = createTypeFilter(query.types);
        const events = await log.read(query.after, query.limit);
        const last = events.at(-1);
        return {
          items: events.filter((event) => matches(event.type)),
          nextCursor:
            last && events.length === query.limit ? String(last.id) : null,
          latest: log.latest(),
        };
      },
    }),
  ];
}

function parseLastEventId(value: string | undefined): number | undefined {
  if (value === undefined || value === "") return undefined;
  if (value.length > 32)
    throw errors.INPUT_INVALID({
      part: "Last-Event-ID",
      summary: "it is too long",
    });
  // Anything else than one of our numbers is a position that we cannot know: start over.
  return /^\d{1,15}$/.test(value) ? Number(value) : Number.MAX_SAFE_INTEGER;
}

function createTypeFilter(list: string | undefined): (type: string) => boolean {
  if (list === undefined) return () => true;
  const exact = new Set<string>();
  const prefixes: string[] = [];
  for (const item of list.split(",")) {
    if (item.endsWith("*")) prefixes.push(item.slice(0, -1));
    else exact.add(item);
  }
  return (type) =>
    exact.has(type) || prefixes.some((prefix) => type.startsWith(prefix));
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
    /** Collects events for a client until it has caught up, then passes them on. */
    join(client: OpenStream, matches: (type: string) => boolean) {
      const from = core.latestEventId();
      let held: string[] | undefined = [];
      const receive = (event: EventRecord, rendered: () => string) => {
        if (event.id <= from || !matches(event.type)) return;
        if (held) held.push(rendered());
        else client.sendRendered(rendered());
      };
      clients.add(receive);
      const leave = () => void clients.delete(receive);
      client.signal.addEventListener("abort", leave);
      return {
        from,
        leave,
        release() {
          for (const text of held ?? []) client.sendRendered(text);
          held = undefined;
        },
      };
    },
  };
}
