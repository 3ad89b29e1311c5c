import * as z from "zod";
import { button } from "./button.ts";
import { cell } from "./cell.ts";
import { chart } from "./chart.ts";
import { form } from "./form.ts";
import { kebabName, line, moment, reportDoubles, tone } from "./names.ts";
import { list, table } from "./rows.ts";

const detail = z
  .strictObject({
    type: z.literal("detail"),
    title: line.optional(),
    facts: z.array(z.strictObject({ label: line, value: cell })).max(100),
  })
  .meta({ id: "AppDetail" });

const actions = z
  .strictObject({
    type: z.literal("actions"),
    title: line.optional(),
    buttons: z.array(button).min(1).max(20),
  })
  .meta({ id: "AppActions" });

const log = z
  .strictObject({
    type: z.literal("log"),
    title: line.optional(),
    lines: z
      .array(
        z.strictObject({
          text: z.string().max(4000),
          time: moment.optional(),
          tone,
        }),
      )
      .max(2000)
      .describe("The oldest first."),
    follows: z
      .boolean()
      .default(true)
      .describe(
        "Keeps the newest line in sight while the reader is at the end.",
      ),
    isSearchable: z.boolean().default(true),
    empty: line.default("No lines yet."),
  })
  .meta({ id: "AppLog" });

const markdown = z
  .strictObject({
    type: z.literal("markdown"),
    text: z.string().max(100_000),
  })
  .meta({ id: "AppMarkdown" });

/** A block that has no other blocks in it. */
export const leaf = z
  .discriminatedUnion("type", [
    list,
    table,
    detail,
    form,
    actions,
    chart,
    log,
    markdown,
  ])
  .meta({ id: "AppLeaf" });

const stack = z
  .strictObject({
    type: z.literal("stack"),
    title: line.optional(),
    blocks: z.array(leaf).max(30),
  })
  .describe("Below each other.")
  .meta({ id: "AppStack" });

const split = z
  .strictObject({
    type: z.literal("split"),
    blocks: z
      .array(z.discriminatedUnion("type", [leaf, stack]))
      .min(1)
      .max(4),
  })
  .describe("Beside each other where there is room.")
  .meta({ id: "AppSplit" });

const tabs = z
  .strictObject({
    type: z.literal("tabs"),
    tabs: z
      .array(
        z.strictObject({
          name: kebabName,
          label: line.min(1),
          blocks: z.array(leaf).max(30),
        }),
      )
      .min(1)
      .max(12),
  })
  .check((context) =>
    reportDoubles(
      context,
      context.value.tabs.map(({ name }) => name),
      (index) => ["tabs", index, "name"],
    ),
  )
  .describe("One at a time, chosen by the reader.")
  .meta({ id: "AppTabs" });

/** A block of a view. */
export const block = z
  .discriminatedUnion("type", [leaf, stack, split, tabs])
  .meta({ id: "AppBlock" });
