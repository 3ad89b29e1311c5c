import * as z from "zod";
import { button } from "./button.ts";
import { cell } from "./cell.ts";
import {
  icon,
  kebabName,
  line,
  pagePath,
  reportDoubles,
  tone,
} from "./names.ts";

const column = z
  .strictObject({
    key: kebabName.describe("Its cells are under this key in each row."),
    label: line,
    align: z.enum(["start", "end"]).default("start"),
    isSortable: z.boolean().default(true),
    isMinor: z.boolean().default(false).describe("Left out on a narrow page."),
  })
  .meta({ id: "AppColumn" });

const row = z
  .strictObject({
    id: z
      .string()
      .min(1)
      .max(500)
      .describe("Unique in its block. Goes along when the row is chosen."),
    title: line.optional(),
    detail: z.string().max(1000).optional(),
    icon: icon.optional(),
    tone,
    path: pagePath
      .optional()
      .describe("Page of the app that opens with a click."),
    cells: z.record(z.string().max(40), cell).default({}),
    actions: z.array(button).max(8).default([]),
  })
  .meta({ id: "AppRow" });

const rows = {
  title: line.optional(),
  rows: z.array(row).max(5000),
  empty: line.default("Nothing here.").describe("Shown in place of no rows."),
  isSearchable: z
    .boolean()
    .default(false)
    .describe("A field above to search in the rows."),
  selection: z
    .array(button)
    .max(8)
    .default([])
    .describe(
      "Actions on the chosen rows, whose ids go along as `rows`. With any, rows can be chosen.",
    ),
};

interface Rows {
  rows: { id: string }[];
  columns: { key: string }[];
  sort?: { key: string } | undefined;
}

function checkRows(context: z.core.ParsePayload<Rows>): void {
  const { rows: all, columns, sort } = context.value;
  reportDoubles(
    context,
    all.map(({ id }) => id),
    (index) => ["rows", index, "id"],
  );
  const keys = columns.map(({ key }) => key);
  reportDoubles(context, keys, (index) => ["columns", index, "key"]);
  if (sort && !keys.includes(sort.key))
    context.issues.push({
      code: "custom",
      input: sort.key,
      path: ["sort", "key"],
      message: "is no column",
    });
}

/** Rows with a title each, and some cells beside it. */
export const list = z
  .strictObject({
    type: z.literal("list"),
    columns: z
      .array(column)
      .max(8)
      .default([])
      .describe("Cells that are shown beside the title."),
    ...rows,
  })
  .check(checkRows)
  .meta({ id: "AppList" });

/** Rows of cells, with a head. */
export const table = z
  .strictObject({
    type: z.literal("table"),
    columns: z.array(column).min(1).max(20),
    ...rows,
    sort: z
      .strictObject({
        key: kebabName,
        isDescending: z.boolean().default(false),
      })
      .optional()
      .describe("Column to sort by at first; the order given otherwise."),
  })
  .check(checkRows)
  .meta({ id: "AppTable" });
