import type { Schema } from "@gantry/plugin";
import { ANY_KEY } from "@gantry/plugin/zod";

type Json = Readonly<Record<string, unknown>>;

/** Says where in a body an object's keys are data, so that any word may be one. */
export interface DataKeys {
  /** Whether the keys of the object here are data. */
  readonly any: boolean;
  /** The same for the value under a key. */
  under(key: string): DataKeys;
  /** The same for the elements of the array here. */
  elements(): DataKeys;
}

/** For a body that no schema describes. */
export const NO_DATA_KEYS: DataKeys = {
  any: false,
  under: () => NO_DATA_KEYS,
  elements: () => NO_DATA_KEYS,
};

/** Cached, since describing a schema takes longer than reading most bodies. */
const known = new WeakMap<Schema, DataKeys>();

/**
 * Reads from the schema of a body where keys are data: only where every schema that may apply to the place says so. Where
 * one of them allows any object, or none applies, keys are not data.
 */
export function dataKeysOf(schema: Schema): DataKeys {
  let keys = known.get(schema);
  if (!keys) {
    const target = "draft-2020-12";
    const root = schema["~standard"].jsonSchema.input({ target }) as Json;
    keys = describe([root], root);
    known.set(schema, keys);
  }
  return keys;
}

function describe(schemas: readonly unknown[], root: Json): DataKeys {
  const open = schemas.flatMap((schema) => alternativesOf(schema, root));
  if (open.length === 0) return NO_DATA_KEYS;
  return {
    any: open.every((schema) => schema[ANY_KEY] === true),
    under: (key) =>
      describe(
        open.map(({ properties, additionalProperties }) =>
          isJson(properties) && Object.hasOwn(properties, key)
            ? properties[key]
            : additionalProperties,
        ),
        root,
      ),
    elements: () =>
      describe(
        open.map(({ items }) => items),
        root,
      ),
  };
}

/** The schemas that may apply to a value, without those that accept neither an object nor an array. */
function alternativesOf(schema: unknown, root: Json): Json[] {
  const found: Json[] = [];
  const seen = new Set<unknown>();
  const open = [schema];
  while (open.length > 0) {
    const next = open.pop();
    if (!isJson(next) || seen.has(next)) continue;
    seen.add(next);
    const { $ref, anyOf, oneOf, allOf, type } = next;
    const more = [anyOf, oneOf, allOf].flatMap(
      (list) => (list as unknown[] | undefined) ?? [],
    );
    if (typeof $ref === "string") more.push(resolve($ref, root));
    open.push(...more);
    const types = type === undefined ? [] : [type].flat();
    const isOne =
      types.length === 0
        ? more.length === 0
        : types.includes("object") || types.includes("array");
    if (isOne) found.push(next);
  }
  return found;
}

/** The schema that a reference names; for an unknown reference, one that accepts anything. */
function resolve(reference: string, root: Json): unknown {
  if (reference === "#") return root;
  const { $defs } = root;
  const name = reference.replace("#/$defs/", "");
  return isJson($defs) && Object.hasOwn($defs, name) ? $defs[name] : {};
}

function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null;
}
