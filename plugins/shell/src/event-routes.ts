import { defineRoute, eventStream, inputErrors } from "@gantry/plugin";
import type { EventLog, PluginContext, RouteDefinition } from "@gantry/plugin";
import { pageQuery, queryNumber, timestamp } from "@gantry/plugin/zod";
import * as z from "zod";
import { createEventFeed } from "./event-feed.ts";
import type { EventFeed } from "./event-feed.ts";

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

const position = z.int().min(0);
const types = z
  .string()
  .max(1024)
  .regex(
    /^[a-z0-9.*-]+(,[a-z0-9.*-]+)*$/,
    "is a list such as agents.*,automations.run-finished",
  )
  .optional();

/** Reads the log as a stream that resumes without a gap, and as a list. */
export function createEventRoutes(ctx: PluginContext): RouteDefinition[] {
  return [followEvents(createEventFeed(ctx)), listEvents(ctx.events)];
}

function followEvents(feed: EventFeed): RouteDefinition {
  return defineRoute({
    method: "GET",
    path: "/api/events",
    summary: "Follow all events",
    description:
      "Server-sent events. `hello {bootId, latest}` first. Resume with `Last-Event-ID` or `after`; a position older than the log, or of a store that was replaced, gets `reset`. `types` narrows. At a clean stop: `bye`.",
    access: "session",
    query: z.strictObject({ after: queryNumber(position.optional()), types }),
    returns: "event-stream",
    handle({ query, header }) {
      // A browser that comes back asks for the same address again and says in the header how far it has come since.
      const start = parseLastEventId(header("last-event-id")) ?? query.after;
      const matches = createTypeFilter(query.types);
      return eventStream((client) => feed.follow(client, start, matches));
    },
  });
}

function listEvents(log: EventLog): RouteDefinition {
  return defineRoute({
    method: "GET",
    path: "/api/events/log",
    summary: "Past events",
    access: "session",
    query: z.strictObject({
      after: queryNumber(position.default(0)),
      limit: pageQuery.shape.limit,
      types,
    }),
    returns: z.object({
      items: z.array(EventView),
      nextCursor: z.string().nullable(),
      latest: z.number(),
    }),
    async handle({ query }) {
      const matches = createTypeFilter(query.types);
      const latest = log.latest();
      const events = await log.read(query.after, query.limit, latest);
      const last = events.at(-1);
      return {
        items: events.filter((event) => matches(event.type)),
        nextCursor: last && last.id < latest ? String(last.id) : null,
        latest,
      };
    },
  });
}

function parseLastEventId(value: string | undefined): number | undefined {
  if (value === undefined || value === "") return undefined;
  if (value.length > 32)
    throw inputErrors.INPUT_INVALID({
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
