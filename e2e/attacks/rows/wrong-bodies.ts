import { cases } from "@gantry/build/testing";
import type { JsonSchema } from "../world/routes.ts";

/** A body in which one field holds what its schema does not allow. */
export interface WrongBody {
  /** Path of the field: `limits.maxCostUsd`, `schedules.0.time`. */
  path: string;
  value: unknown;
  body: object;
}

/** Larger than that would only try the limit of bodies, which another row does. */
const MAX_LENGTH = 512 * 1024;

const OF_EVERY_KIND: readonly unknown[] = [
  null,
  true,
  "",
  "\u0000",
  "5",
  0,
  -1,
  1.5,
  1e308,
  [],
  ["x"],
  {},
  { $gt: "" },
];

/** For each field below a schema, bodies that break it, one kind of value at a time. */
export function* wrongBodies(
  schema: JsonSchema | undefined,
): Generator<WrongBody> {
  for (const [name, part] of Object.entries(schema?.properties ?? {}))
    for (const { path, value, whole } of wrongValues(part, name))
      yield { path, value, body: { [name]: whole } };
}

/** Values that do not fit at a path, and those that have one somewhere inside, as they stand in the field itself. */
function* wrongValues(
  schema: JsonSchema,
  path: string,
): Generator<{ path: string; value: unknown; whole: unknown }> {
  const wrong = [...beyond(schema), ...OF_EVERY_KIND].filter(
    (value) => !mayFit(schema, value),
  );
  for (const value of cases(wrong, 3)) yield { path, value, whole: value };
  for (const choice of [schema, ...(schema.anyOf ?? schema.oneOf ?? [])]) {
    for (const [name, part] of Object.entries(choice.properties ?? {}))
      for (const inner of wrongValues(part, `${path}.${name}`))
        yield { ...inner, whole: { [name]: inner.whole } };
    if (choice.items)
      for (const inner of wrongValues(choice.items, `${path}.0`))
        yield { ...inner, whole: [inner.whole] };
  }
}

/** Values just over each limit that a schema states. */
function beyond(schema: JsonSchema): unknown[] {
  return [schema, ...(schema.anyOf ?? schema.oneOf ?? [])].flatMap((choice) => {
    const { maxLength, maximum, minimum, exclusiveMinimum, maxItems } = choice;
    return [
      ...(maxLength !== undefined && maxLength < MAX_LENGTH
        ? ["x".repeat(maxLength + 1)]
        : []),
      ...(maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER
        ? [maximum + 1]
        : []),
      ...(minimum !== undefined ? [minimum - 1] : []),
      ...(exclusiveMinimum !== undefined ? [exclusiveMinimum] : []),
      ...(maxItems !== undefined ? [Array(maxItems + 1).fill({})] : []),
      ...(choice.enum ? ["no such word", "CONSTRUCTOR"] : []),
    ];
  });
}

const TYPES: Record<string, (value: unknown) => boolean> = {
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  number: (value) => typeof value === "number",
  integer: Number.isSafeInteger,
  null: (value) => value === null,
  array: Array.isArray,
  object: (value) =>
    typeof value === "object" && value !== null && !Array.isArray(value),
};

/** Whether a value may be right as far as the schema tells; only what is surely wrong is sent. */
function mayFit(schema: JsonSchema, value: unknown): boolean {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.some((choice) => mayFit(choice, value));
  if (schema.enum && !schema.enum.includes(value)) return false;
  if ("const" in schema && schema.const !== value) return false;
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => TYPES[type]?.(value)))
    return false;
  if (typeof value === "string") return mayFitText(schema, value);
  if (typeof value === "number")
    return (
      value >= (schema.minimum ?? -Infinity) &&
      value <= (schema.maximum ?? Infinity) &&
      value > (schema.exclusiveMinimum ?? -Infinity)
    );
  if (Array.isArray(value))
    return (
      value.length <= (schema.maxItems ?? Infinity) &&
      (!schema.items || value.every((item) => mayFit(schema.items!, item)))
    );
  return typeof value === "object" && value !== null
    ? mayFitObject(schema, value as Record<string, unknown>)
    : true;
}

function mayFitText(schema: JsonSchema, value: string): boolean {
  return (
    value.length >= (schema.minLength ?? 0) &&
    value.length <= (schema.maxLength ?? Infinity) &&
    (!schema.pattern || new RegExp(schema.pattern, "u").test(value))
  );
}

function mayFitObject(
  schema: JsonSchema,
  value: Record<string, unknown>,
): boolean {
  const own = schema.properties ?? {};
  if ((schema.required ?? []).some((name) => !(name in value))) return false;
  return Object.entries(value).every(([name, part]) =>
    own[name] ? mayFit(own[name], part) : schema.additionalProperties !== false,
  );
}
