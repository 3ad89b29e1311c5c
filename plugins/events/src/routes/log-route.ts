import { defineRoute } from "@gantry/plugin";
import type { EventLog, RouteDefinition } from "@gantry/plugin";
import { pageQuery, queryNumber, timestamp } from "@gantry/plugin/zod";
import * as z from "zod";
import { createTypeFilter, typesQuery } from "../type-filter.ts";

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

/** Creates the route of the list of past events. */
export function createLogRoute(eventLog: EventLog): RouteDefinition {
  return defineRoute({
    method: "GET",
    path: "/api/events/log",
    summary: "Past events",
    access: "session",
    query: z.strictObject({
      after: queryNumber(z.int().min(0).default(0)),
      limit: pageQuery.shape.limit,
      types: typesQuery,
    }),
    returns: z.object({
      items: z.array(EventView),
      nextCursor: z.string().nullable(),
      latest: z.number(),
    }),
    async handle({ query: { after, limit, types } }) {
      const matches = createTypeFilter(types);
      const latest = eventLog.latest();
      const events = await eventLog.read({ after, upTo: latest, limit });
      const last = events.at(-1);
      return {
        items: events.filter((event) => matches(event.type)),
        nextCursor: last && last.id < latest ? String(last.id) : null,
        latest,
      };
    },
  });
}
