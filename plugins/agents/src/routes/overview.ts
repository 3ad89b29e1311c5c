import { defineRoute, type Clock, type RouteDefinition } from "@gantry/plugin";
import * as z from "zod";
import { cliView } from "../clis/cli.ts";
import type { PluginParts } from "../plugin-parts.ts";
import { usageSchema } from "../transcript/entry.ts";
import { reportUsage, USAGE_GROUPS } from "../usage/usage-report.ts";

const day = z.iso.date();
const DEFAULT_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;
const sums = { turns: z.number(), usage: usageSchema };

/** What there is, and what it has cost. */
export function overviewRoutes(
  { catalog, records }: PluginParts,
  clock: Clock,
): RouteDefinition[] {
  return [
    defineRoute({
      method: "GET",
      path: "/api/agents/clis",
      summary: "Agent CLIs: which are installed, and what each can do",
      access: "session",
      returns: z.object({ items: z.array(cliView), nextCursor: z.null() }),
      handle: async () => ({ items: await catalog.list(), nextCursor: null }),
    }),
    defineRoute({
      method: "GET",
      path: "/api/usage",
      summary: "Tokens and money by day, agent, model or automation",
      description:
        "`from` and `to` are UTC days, both included; the last 30 unless said. Unknown is `null`, never 0.",
      access: "session",
      query: z.strictObject({
        from: day.optional(),
        to: day.optional(),
        by: z.enum(USAGE_GROUPS).default("day"),
      }),
      returns: z.object({
        from: z.string(),
        to: z.string(),
        by: z.enum(USAGE_GROUPS),
        items: z.array(
          z.object({
            key: z.string().nullable(),
            name: z.string().nullable(),
            ...sums,
          }),
        ),
        total: z.object(sums),
      }),
      errors: ["USAGE_RANGE_INVALID"],
      async handle({ query }) {
        const to = query.to ?? dayOf(clock.now());
        const from =
          query.from ?? dayOf(Date.parse(to) - (DEFAULT_DAYS - 1) * DAY_MS);
        const range = { from, to, by: query.by };
        return { ...range, ...(await reportUsage(records.turns, range)) };
      },
    }),
  ];
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
