import type { Schema } from "@gantry/plugin";
import { ANY_KEY } from "@gantry/plugin/zod";
import { describeInput, isJson, resolveReference } from "./json-schema.ts";
import type { Json } from "./json-schema.ts";

/** Keys that could reach an object's prototype. */
export const FORBIDDEN_KEYS = ["__proto__", "constructor", "prototype"];

/**
 * Whether an object in a body has a forbidden key. Where keys are data, any word may be one: only where every schema that
 * may apply to the place says so. Where one of them allows any object, or none applies, keys are not data.
 */
export function hasForbiddenKey(body: unknown, schema?: Schema): boolean {
  const root = schema ? describeInput(schema) : {};
  const open = [
    { value: body, schemas: schema ? alternativesOf(root, root) : [] },
  ];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, schemas } = next;
    if (!isJson(value)) continue;
    const within = (parts: unknown[]) =>
      parts.flatMap((part) => alternativesOf(part, root));
    if (Array.isArray(value)) {
      const inside = within(schemas.map(({ items }) => items));
      for (const element of value as unknown[])
        open.push({ value: element, schemas: inside });
      continue;
    }
    const isData =
      schemas.length > 0 && schemas.every((each) => each[ANY_KEY] === true);
    if (!isData && FORBIDDEN_KEYS.some((key) => Object.hasOwn(value, key)))
      return true;
    for (const [key, part] of Object.entries(value)) {
      if (!isJson(part)) continue;
      const under = schemas.map(({ properties, additionalProperties }) =>
        isJson(properties) && Object.hasOwn(properties, key)
          ? properties[key]
          : additionalProperties,
      );
      open.push({ value: part, schemas: within(under) });
    }
  }
  return false;
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
    if (typeof $ref === "string") more.push(resolveReference($ref, root));
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
