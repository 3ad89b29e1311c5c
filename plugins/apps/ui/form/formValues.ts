import type { Field } from "../wire.ts";

/** What stands in a field: a number as it is typed. */
export type FieldValue = string | boolean;
/** What a person changed, by the name of the field. */
export type Changes = ReadonlyMap<string, FieldValue>;

/** What stands in a field: what was typed, else what the app gave. */
export function valueOf(field: Field, changes: Changes): FieldValue {
  const changed = changes.get(field.name);
  if (changed !== undefined) return changed;
  if (field.type === "number")
    return field.value === null ? "" : String(field.value);
  return field.value;
}

/** What the app gets of a field. */
function toArgument(field: Field, value: FieldValue): unknown {
  if (field.type !== "number" || typeof value === "boolean") return value;
  return value.trim() === "" ? null : Number(value);
}

/** The values of a form, as they go to the app. */
export function toArguments(
  fields: readonly Field[],
  changes: Changes,
): Record<string, unknown> {
  return Object.fromEntries(
    fields.map((field) => [
      field.name,
      toArgument(field, valueOf(field, changes)),
    ]),
  );
}
