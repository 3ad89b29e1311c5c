import { defineRoute } from "@gantry/plugin";
import { createLocalHours } from "@gantry/plugin-helpers/calendar";
import type { Clock, RouteDefinition } from "@gantry/plugin";
import { timeZone } from "@gantry/plugin/zod";
import * as z from "zod";
import type { ChargeCounter } from "../charges/charge-counter.ts";
import type { UsageBook } from "../sums/usage-book.ts";
import { reportUsage, USAGE_GROUPS } from "../sums/usage-report.ts";
import { usageSum } from "../sums/usage-sum.ts";

/** Dependencies of {@link createUsageRoute}. */
export interface UsageRouteHost {
  book: UsageBook;
  counter: ChargeCounter;
  clock: Clock;
}

const day = z.iso.date();
const DEFAULT_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Id, name or time that a row is of. */
const label = z.string().nullable();

/** Creates the route that reports what agents cost. */
export function createUsageRoute({
  book,
  counter,
  clock,
}: UsageRouteHost): RouteDefinition {
  return defineRoute({
    method: "GET",
    path: "/api/usage",
    summary: "Tokens and money by hour, day, agent, model or automation",
    description:
      "`from` and `to` are days of `timeZone` (UTC unless said), both included; the last 30 unless said. What is unknown is `null`, never 0, and `unknown` says of how many turns. `since` is the day of the first turn of all.",
    access: "session",
    query: z.strictObject({
      from: day.optional(),
      to: day.optional(),
      by: z.enum(USAGE_GROUPS).default("day"),
      timeZone: timeZone.default("UTC"),
    }),
    returns: z.object({
      from: z.string(),
      to: z.string(),
      by: z.enum(USAGE_GROUPS),
      timeZone: z.string(),
      items: z.array(usageSum.extend({ key: label, name: label })),
      rest: usageSum.extend({ rows: z.number() }),
      total: usageSum,
      since: z.string().nullable(),
    }),
    errors: ["USAGE_RANGE_INVALID"],
    async handle({ query }) {
      const hourAt = createLocalHours(query.timeZone);
      const to = query.to ?? hourAt(clock.now()).slice(0, 10);
      const from =
        query.from ?? dayOf(Date.parse(to) - (DEFAULT_DAYS - 1) * DAY_MS);
      const { by, timeZone } = query;
      const range = { from, to, by, timeZone };
      // A client that saw the end of a turn finds it in the sums.
      await counter.catchUpIfWritable();
      return { ...range, ...(await reportUsage(book, range)) };
    },
  });
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
