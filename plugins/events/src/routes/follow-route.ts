import { defineRoute, eventStream, requestErrors } from "@gantry/plugin";
import type { EventLog, RouteDefinition, StreamClient } from "@gantry/plugin";
import { queryNumber } from "@gantry/plugin/zod";
import * as z from "zod";
import type { LiveFeed } from "../live-feed.ts";
import { renderEvent } from "../render-event.ts";
import { createTypeFilter, typesQuery } from "../type-filter.ts";
import type { TypeFilter } from "../type-filter.ts";

/** Events read at once while a client catches up. */
const PAGE_SIZE = 500;
const MAX_LAST_EVENT_ID_LENGTH = 32;

/** Dependencies of {@link createFollowRoute}. */
export interface FollowHost {
  eventLog: EventLog;
  live: LiveFeed;
  /** Another one after each start of the daemon. */
  bootId: string;
}

/** Creates the route of the stream that resumes without a gap. */
export function createFollowRoute(host: FollowHost): RouteDefinition {
  return defineRoute({
    method: "GET",
    path: "/api/events",
    summary: "Follow all events",
    description:
      "Server-sent events. `hello {bootId, latest}` first. Resume with `Last-Event-ID` or `after`; a position older than the log, or of a store that was replaced, gets `reset`. `types` narrows. At a clean stop: `bye`.",
    access: "session",
    query: z.strictObject({
      after: queryNumber(z.int().min(0).optional()),
      types: typesQuery,
    }),
    returns: "event-stream",
    handle({ query, header }) {
      // A browser that reconnects requests the same address again, and its position is in the header.
      const start = parseLastEventId(header("last-event-id")) ?? query.after;
      const matches = createTypeFilter(query.types);
      return eventStream((client) => follow(host, client, start, matches));
    },
  });
}

async function follow(
  { eventLog, live, bootId }: FollowHost,
  client: StreamClient,
  start: number | undefined,
  matches: TypeFilter,
): Promise<void> {
  const latest = eventLog.latest();
  client.send({ event: "hello", data: { bootId, latest } });
  let position = latest;
  if (start !== undefined) {
    if (await eventLog.covers(start)) position = start;
    else client.send({ event: "reset", data: { latest } });
  }
  while (position < eventLog.latest() && !client.signal.aborted) {
    const upTo = eventLog.latest();
    const events = await eventLog.read({
      after: position,
      upTo,
      limit: PAGE_SIZE,
    });
    for (const event of events) {
      if (matches(event.type) && !client.send(renderEvent(event)))
        await client.drained();
    }
    position = events.at(-1)?.id ?? upTo;
  }
  // Nothing was awaited since the log was compared with the position, so no event is missed and none comes twice.
  live.join(client, matches);
}

/**
 * The position in a `Last-Event-ID` header, `undefined` without one.
 *
 * @throws `INPUT_INVALID` (400) if it is too long
 */
function parseLastEventId(value: string | undefined): number | undefined {
  if (value === undefined || value === "") return undefined;
  if (value.length > MAX_LAST_EVENT_ID_LENGTH)
    throw requestErrors.INPUT_INVALID({
      part: "Last-Event-ID",
      summary: "it is too long",
    });
  // Anything else is not a number of an event: no log covers it, and the client starts over.
  return /^\d{1,15}$/.test(value) ? Number(value) : Number.MAX_SAFE_INTEGER;
}
