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

/** Says in a JSON Schema that an object's keys are data, so that any word may be one. */
export const ANY_KEY = "x-gantry-any-key";

/**
 * Values by names that people choose: any text is a name, also `__proto__`, `constructor` and the like, which a request
 * may have as keys nowhere else. The object has no prototype, so that `values[name]` is what was sent under that name
 * or `undefined`; a default for it is a `prefault`, which gets none either. `z.record` would drop `__proto__`.
 *
 * @param value Of each entry; it must not be asynchronous.
 */
export function dictionaryOf<Value extends z.ZodType>(value: Value) {
  const { $schema: _, ...description } = z.toJSONSchema(value, { io: "input" });
  const schema = z
    .unknown()
    .check((context) => {
      if (!isPlainObject(context.value)) {
        context.issues.push({
          code: "invalid_type",
          expected: "record",
          input: context.value,
        });
        return;
      }
      const entries: Record<string, unknown> = Object.create(null) as Record<
        string,
        unknown
      >;
      for (const [name, input] of Object.entries(context.value)) {
        const result = value.safeParse(input);
        if (result.success) entries[name] = result.data;
        for (const issue of result.error?.issues ?? [])
          context.issues.push({
            ...issue,
            input,
            path: [name, ...issue.path],
          } as z.core.$ZodRawIssue);
      }
      context.value = entries;
    })
    .meta({
      type: "object",
      additionalProperties: description,
      [ANY_KEY]: true,
    });
  return schema as unknown as z.ZodType<
    Record<string, z.output<Value>>,
    Readonly<Record<string, z.input<Value>>>
  >;
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
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
