import * as z from "zod";
import { isTimeZone } from "./calendar.ts";

/**
 * A number in a query, which arrives as text: decimal digits, read before the schema judges them. What only JavaScript
 * takes for a number, such as `0x10`, `1e2` or nothing at all, is refused.
 *
 * @param schema Of the number; a default and `optional` belong in it.
 */
export function queryNumber<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess(
    (text) =>
      typeof text === "string" && /^-?\d+(\.\d+)?$/.test(text)
        ? Number(text)
        : text,
    schema,
  );
}

/** Query of every listing: `limit` 1 to 500, and the cursor that the page before gave. Extend it with filters. */
export const pageQuery = z.strictObject({
  limit: queryNumber(z.int().min(1).max(500).default(50)),
  cursor: z.string().max(1024).optional(),
});

/** Shape of a listing's answer. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() });
}

/** The answer of an operation that has nothing to say. */
export const okAnswer = z.object({ ok: z.literal(true) });

/** RFC 3339 UTC with milliseconds. */
export const timestamp = z.iso.datetime({ precision: 3 });

/** IANA name of a time zone that this machine knows. */
export const timeZone = z
  .string()
  .refine(isTimeZone, "must be an IANA time zone such as Europe/Berlin");

/** Fields that every stored resource has; spread them into its schema. */
export const storedFields = {
  id: z.string(),
  createdAt: timestamp,
  updatedAt: timestamp,
  revision: z.number().int().positive(),
};
