import * as z from "zod";
import { isTimeZone } from "./time-zone.ts";

/**
 * Schema of a number in a query. Parses decimal digits before validation, and rejects other notations that JavaScript accepts,
 * such as `0x10`, `1e2` or an empty text.
 *
 * @param schema Schema of the number, including a default or `optional`.
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

/** Query of a paginated list: `limit` (1 to 500, defaults to 50) and the cursor of the previous page. Extend it with filters. */
export const pageQuery = z.strictObject({
  limit: queryNumber(z.int().min(1).max(500).default(50)),
  cursor: z.string().max(1024).optional(),
});

/** Schema of the answer of a paginated list. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() });
}

/** JSON Schema keyword for an object whose keys are data, so that any name is allowed. */
export const ANY_KEY = "x-gantry-any-key";

/**
 * Schema of a dictionary with arbitrary names as keys, including `__proto__` and `constructor`, which a request body may have as
 * keys nowhere else. The parsed object has no prototype, so `values[name]` is the value that was sent or `undefined`. Use
 * `prefault` for a default value. `z.record` would drop `__proto__`.
 *
 * @param value Schema of each value; must be synchronous.
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

/** Schema of the answer of an operation without a result: `{ ok: true }`. */
export const okAnswer = z.object({ ok: z.literal(true) });

/** Schema of a time: RFC 3339 UTC with milliseconds. */
export const timestamp = z.iso.datetime({ precision: 3 });

/** Schema of the IANA name of a time zone that this machine knows. */
export const timeZone = z
  .string()
  .refine(isTimeZone, "must be an IANA time zone such as Europe/Berlin");

/** Schemas of the fields of every stored record; spread them into the record's schema. */
export const storedFields = {
  id: z.string(),
  createdAt: timestamp,
  updatedAt: timestamp,
  revision: z.number().int().positive(),
};
