import * as z from "zod";
import { line, moment, pagePath, tone } from "./names.ts";

/** What a list, a table or a fact shows. Numbers and times are written by the page, in the reader's way. */
export const cell = z
  .union(
    [
      z.null(),
      z.string().max(2000),
      z.number(),
      z.boolean(),
      z.strictObject({ text: line, tone }).describe("A word with a colour."),
      z.strictObject({ time: moment }).describe("Shown as local time."),
      z.strictObject({ bytes: z.number().nonnegative() }),
      z
        .strictObject({ percent: z.number().nonnegative() })
        .describe("More than 100 where it is of one of several."),
      z.strictObject({ milliseconds: z.number().nonnegative() }),
      z
        .strictObject({ text: line, path: pagePath })
        .describe("Leads to a page of this app."),
      z
        .strictObject({
          text: line,
          page: z
            .string()
            .regex(/^\/(?![/\\])/)
            .max(1000),
        })
        .describe("Leads to another page of Gantry, such as /agents/agt_…"),
      z
        .strictObject({
          text: line,
          url: z.url({ protocol: /^https?$/ }).max(2000),
        })
        .describe("An address, which opens in a new tab."),
    ],
    {
      error:
        "is no cell: a text, a number, true, false, null, or an object with time, bytes, percent, milliseconds, or text with tone, path, page or url",
    },
  )
  .meta({ id: "AppCell" });
