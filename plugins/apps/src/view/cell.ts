import * as z from "zod";
import { line, moment, pagePath, tone } from "./names.ts";

const NO_CELL =
  "is no cell: a text of at most 2000 characters, a number, true, false, null, or an object with time, bytes, percent, milliseconds, or text with tone, path, page or url";

const MAX_TEXT = 2000;
const word = z
  .strictObject({ text: line, tone })
  .describe("A word with a colour.");
/** Cells that are objects, by the member that only they have. */
const objects = {
  time: z.strictObject({ time: moment }).describe("Shown as local time."),
  bytes: z.strictObject({ bytes: z.number().nonnegative() }),
  percent: z
    .strictObject({ percent: z.number().nonnegative() })
    .describe("More than 100 where it is of one of several."),
  milliseconds: z.strictObject({ milliseconds: z.number().nonnegative() }),
  path: z
    .strictObject({ text: line, path: pagePath })
    .describe("Leads to a page of this app."),
  page: z
    .strictObject({
      text: line,
      page: z
        .string()
        // A browser reads a backslash as a slash, and drops control characters: of "/\t/host" it would make another address.
        .regex(/^\/(?![/\\])[^\p{Cc}]*$/u)
        .max(1000),
    })
    .describe("Leads to another page of Gantry, such as /agents/agt_…"),
  url: z
    .strictObject({
      text: line,
      url: z.url({ protocol: /^https?$/ }).max(2000),
    })
    .describe("An address, which opens in a new tab."),
};
const keys = Object.keys(objects) as (keyof typeof objects)[];
/** All kinds of cells, one after the other. */
export const eachCell = z.union([
  z.null(),
  z.string().max(MAX_TEXT),
  z.number(),
  z.boolean(),
  word,
  ...keys.map((key) => objects[key]),
]);
type Cell = typeof eachCell;

/** The one schema that an object can fit; `undefined` for what is no cell at all. */
function schemaOf(value: unknown): z.ZodType | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return undefined;
  const key = keys.find((each) => Object.hasOwn(value, each));
  if (key !== undefined) return objects[key];
  return Object.hasOwn(value, "text") ? word : undefined;
}

const isPlain = (value: unknown) =>
  value === null ||
  typeof value === "boolean" ||
  Number.isFinite(value) ||
  (typeof value === "string" && value.length <= MAX_TEXT);

/**
 * What a list, a table or a fact shows. Numbers and times are written by the page, in the reader's way.
 *
 * It means the same as the union of all kinds, which would try each of them for each of 100,000 cells and take seconds to
 * refuse them.
 */
export const cell = z
  .unknown()
  .check((context) => {
    if (isPlain(context.value)) return;
    const result = schemaOf(context.value)?.safeParse(context.value);
    if (result?.success) {
      context.value = result.data;
      return;
    }
    const [issue] = result?.error.issues ?? [];
    context.issues.push({
      code: "custom",
      input: undefined,
      path: issue?.path ?? [],
      message: issue?.message ?? NO_CELL,
    });
  })
  .meta({ id: "AppCell", ...describeCell() }) as unknown as Cell;

function describeCell(): object {
  const { $schema: _, ...description } = z.toJSONSchema(eachCell, {
    io: "input",
  });
  return description;
}
