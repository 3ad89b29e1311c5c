import type { Schema } from "@gantry/plugin";

export type Json = Readonly<Record<string, unknown>>;

/** Cached, since describing a schema takes longer than reading most bodies. */
const known = new WeakMap<Schema, Json>();

/** The JSON Schema of what a schema takes. */
export function describeInput(schema: Schema): Json {
  let root = known.get(schema);
  if (!root) {
    const target = "draft-2020-12";
    root = schema["~standard"].jsonSchema.input({ target }) as Json;
    known.set(schema, root);
  }
  return root;
}

/** The schema that a reference names; for an unknown reference, one that accepts anything. */
export function resolveReference(reference: string, root: Json): unknown {
  if (reference === "#") return root;
  const { $defs } = root;
  const name = reference.replace("#/$defs/", "");
  return isJson($defs) && Object.hasOwn($defs, name) ? $defs[name] : {};
}

export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null;
}
