import * as z from "zod";
import { line, moment, tone } from "./names.ts";

const series = z.strictObject({
  label: line,
  tone,
  values: z
    .array(z.number().nullable())
    .max(2000)
    .describe("One for each moment or label; `null` where there is none."),
});

/** Numbers as a picture: over time, one beside the other, or one of a whole. */
export const chart = z
  .strictObject({
    type: z.literal("chart"),
    title: line.min(1),
    kind: z
      .enum(["lines", "bars", "gauge"])
      .describe(
        "`lines` have `times`, `bars` have `times` or `labels`, a `gauge` has `value` and `max`.",
      ),
    unit: z
      .enum(["number", "bytes", "percent"])
      .default("number")
      .describe("How values are written."),
    times: z.array(moment).max(2000).default([]).describe("Oldest first."),
    labels: z
      .array(line)
      .max(200)
      .default([])
      .describe("What each bar stands for."),
    series: z.array(series).max(8).default([]),
    value: z.number().optional(),
    max: z.number().positive().optional(),
    empty: line.default("Nothing to show yet."),
  })
  .check(checkChart)
  .meta({ id: "AppChart" });

interface Chart {
  kind: "lines" | "bars" | "gauge";
  times: string[];
  labels: string[];
  series: { values: unknown[] }[];
  value?: number | undefined;
  max?: number | undefined;
}

function checkChart(context: z.core.ParsePayload<Chart>): void {
  const { kind, times, labels, series: all, value, max } = context.value;
  const report = (path: PropertyKey[], message: string) =>
    context.issues.push({ code: "custom", input: undefined, path, message });
  if (kind === "gauge") {
    if (value === undefined) report(["value"], "is missing in a gauge");
    if (max === undefined) report(["max"], "is missing in a gauge");
    return;
  }
  if (kind === "lines" && labels.length > 0)
    report(["labels"], "belong to bars; lines have times");
  if (times.length > 0 && labels.length > 0)
    report(["labels"], "cannot be there beside times");
  const count = Math.max(times.length, labels.length);
  all.forEach(({ values }, index) => {
    if (values.length !== count)
      report(
        ["series", index, "values"],
        `must have ${count} entries, one for each of the ${labels.length > 0 ? "labels" : "times"}`,
      );
  });
}
