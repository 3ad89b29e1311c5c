import { createLocalHours, daysBetween, defineRoute } from "@gantry/plugin";
import type { Clock, RouteDefinition } from "@gantry/plugin";
import { timeZone } from "@gantry/plugin/zod";
import * as z from "zod";
import { errors } from "../errors.ts";
import { MAX_RANGE_DAYS } from "../records/run-sums.ts";
import type { RunSum, RunSums } from "../records/run-sums.ts";
import { runReason } from "../wire/run.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const DEFAULT_DAYS = 30;
const MAX_DAYS_BY_HOUR = 14;

const figures = z.object({
  done: z.number().int(),
  failed: z.number().int(),
  skipped: z.number().int(),
  /** Why runs failed or were skipped, the most frequent first. */
  reasons: z.array(
    z.object({
      result: z.enum(["failed", "skipped"]),
      reason: runReason.nullable(),
      runs: z.number().int(),
    }),
  ),
});

type Figures = z.infer<typeof figures>;

const results = z.object({
  from: z.string(),
  to: z.string(),
  by: z.enum(["day", "hour"]),
  timeZone: z.string(),
  items: z.array(figures.extend({ key: z.string() })),
  total: figures,
  /** The day of the first run of all. */
  since: z.string().nullable(),
});

/** How runs ended, as clients see it. */
export type RunResults = z.infer<typeof results>;

/** How runs of all automations ended. */
export function resultRoute(sums: RunSums, clock: Clock): RouteDefinition {
  return defineRoute({
    method: "GET",
    path: "/api/automations/results",
    summary: "How runs ended, by day or hour",
    description:
      "`from` and `to` are days of `timeZone` (UTC unless said), both included; the last 30, by the hour 14, unless said. Runs count when they ended, those of deleted automations too. Days without a run are left out. `since` is the day of the first run of all.",
    access: "session",
    query: z.strictObject({
      from: z.iso.date().optional(),
      to: z.iso.date().optional(),
      by: z.enum(["day", "hour"]).default("day"),
      timeZone: timeZone.default("UTC"),
    }),
    returns: results,
    errors: ["RUN_RANGE_INVALID"],
    async handle({ query: { by, timeZone, ...query } }) {
      const hourAt = createLocalHours(timeZone);
      const dayAt = (time: number) => hourAt(time).slice(0, 10);
      const to = query.to ?? dayAt(clock.now());
      const most = by === "hour" ? MAX_DAYS_BY_HOUR : MAX_RANGE_DAYS;
      const from = query.from ?? move(to, 1 - Math.min(DEFAULT_DAYS, most));
      if (!daysBetween(from, to, most)) throw errors.RUN_RANGE_INVALID();

      const rows = new Map<string, Figures>();
      const total = createFigures();
      // The UTC days that days of any zone reach into.
      const days = daysBetween(move(from, -1), move(to, 1), MAX_RANGE_DAYS + 2);
      for await (const sum of sums.read(days ?? [])) {
        const day = dayAt(sum.at);
        if (day < from || day > to) continue;
        const key = by === "hour" ? hourAt(sum.at) : day;
        let row = rows.get(key);
        if (!row) rows.set(key, (row = createFigures()));
        count(row, sum);
        count(total, sum);
      }
      const begin = await sums.begin();
      return {
        ...{ from, to, by, timeZone },
        items: [...rows]
          .map(([key, row]) => ({ key, ...sorted(row) }))
          .sort((one, other) => (one.key < other.key ? 1 : -1)),
        total: sorted(total),
        since: begin === undefined ? null : dayAt(begin),
      };
    },
  });
}

const move = (day: string, by: number) =>
  new Date(Date.parse(day) + by * DAY_MS).toISOString().slice(0, 10);

const createFigures = (): Figures => ({
  ...{ done: 0, failed: 0, skipped: 0 },
  reasons: [],
});

function count(into: Figures, { result, reason, runs }: RunSum): void {
  if (result === "running") return;
  into[result] += runs;
  if (result === "done") return;
  const known = into.reasons.find(
    (each) => each.result === result && each.reason === reason,
  );
  if (known) known.runs += runs;
  else into.reasons.push({ result, reason, runs });
}

const sorted = (figures: Figures): Figures => ({
  ...figures,
  reasons: figures.reasons.toSorted((one, other) => other.runs - one.runs),
});
