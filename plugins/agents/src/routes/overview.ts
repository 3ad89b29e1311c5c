import {
  createLocalHours,
  defineRoute,
  paginate,
  positionKey,
  type Clock,
  type RouteDefinition,
} from "@gantry/plugin";
import { pageOf, pageQuery, timeZone } from "@gantry/plugin/zod";
import * as z from "zod";
import { cliView } from "../clis/cli.ts";
import { errors } from "../errors.ts";
import type { PluginParts } from "../plugin-parts.ts";
import { reportUsage, USAGE_GROUPS } from "../usage/usage-report.ts";
import { usageSum } from "../usage/usage-sum.ts";

const day = z.iso.date();
const DEFAULT_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;
/** Id, name or time that a row is of. */
const label = z.string().nullable();

/** What there is, and what it has cost. */
export function overviewRoutes(
  { catalog, usage }: PluginParts,
  clock: Clock,
): RouteDefinition[] {
  return [
    defineRoute({
      method: "GET",
      path: "/api/agents/clis",
      summary: "Agent CLIs: which are installed, and what each can do",
      access: "session",
      query: pageQuery,
      returns: pageOf(cliView),
      errors: ["AGENT_BAD_CURSOR"],
      async handle({ query }) {
        const position = (_: unknown, index: number) => positionKey(index);
        return paginate(await catalog.list(), query, position, {
          order: "ascending",
          badCursor: errors.AGENT_BAD_CURSOR,
        });
      },
    }),
    defineRoute({
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
        return { ...range, ...(await reportUsage(usage, range)) };
      },
    }),
  ];
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
