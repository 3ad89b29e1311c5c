import { createHash } from "node:crypto";

/** A JSON Schema, or another part of an OpenAPI document. */
export type Json = Record<string, unknown>;

/** An object whose line would be longer has one line for each property. */
const MAX_LINE_LENGTH = 110;
/** A longer pattern is shown as its digest. */
const MAX_PATTERN_LENGTH = 60;

/**
 * A JSON Schema in the notation of TypeScript, over several lines if it is long. An object takes no other properties unless
 * it ends with `...`. Keywords without a notation follow in brackets, so that nothing is left out.
 */
export function renderSchema(schema: Json, indent = ""): string {
  const { $ref, anyOf, enum: values, const: constant, type, ...rest } = schema;
  if ($ref !== undefined)
    return `${String($ref).split("/").at(-1)}${renderKeywords(rest)}`;
  if (anyOf !== undefined) {
    const variants = (anyOf as Json[]).map((each) =>
      renderSchema(each, indent),
    );
    return `${variants.join(" | ")}${renderKeywords(rest)}`;
  }
  if (type === "string" && values !== undefined)
    return `${(values as string[]).map((value) => JSON.stringify(value)).join(" | ")}${renderKeywords(rest)}`;
  if (constant !== undefined && type === typeof constant)
    return `${JSON.stringify(constant)}${renderKeywords(rest)}`;
  if (type === "array" && rest.items !== undefined)
    return renderArray(rest, indent);
  if (type === "object" && rest.properties !== undefined)
    return renderObject(rest, indent);
  if (type === "integer") return renderInteger({ ...schema });
  const names = type === undefined ? "unknown" : [type].flat().join(" | ");
  const unnamed = { ...schema };
  delete unnamed.type;
  return `${names}${renderKeywords(unnamed)}`;
}

/** Keywords that the notation has no place for, and their values. */
export function renderKeywords(keywords: Json): string {
  const parts = Object.entries(keywords).map(([name, value]) =>
    name === "pattern" && String(value).length > MAX_PATTERN_LENGTH
      ? `pattern of digest ${toDigest(String(value))}`
      : `${name} ${JSON.stringify(value)}`,
  );
  return parts.length === 0 ? "" : ` (${parts.join(", ")})`;
}

function renderArray({ items, ...rest }: Json, indent: string): string {
  const item = renderSchema(items as Json, indent);
  const isOneWord = item.startsWith("{") || !item.includes(" ");
  return `${isOneWord ? item : `(${item})`}[]${renderKeywords(rest)}`;
}

function renderObject(
  { properties, required, additionalProperties, ...rest }: Json,
  indent: string,
): string {
  const names = new Set((required ?? []) as string[]);
  const deeper = `${indent}  `;
  const members = Object.entries(properties as Record<string, Json>).map(
    ([name, property]) =>
      `${name}${names.has(name) ? "" : "?"}: ${renderSchema(property, deeper)}`,
  );
  if (additionalProperties === undefined) members.push("...");
  else if (additionalProperties !== false)
    members.push(`...: ${renderSchema(additionalProperties as Json, deeper)}`);
  const line = members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
  const isLong = line.length > MAX_LINE_LENGTH || line.includes("\n");
  const lines = members.map((member) => `${deeper}${member}\n`).join("");
  return `${isLong ? `{\n${lines}${indent}}` : line}${renderKeywords(rest)}`;
}

/** An integer between bounds that are those of JavaScript has no bounds of its own. */
function renderInteger({ type, ...keywords }: Json): string {
  const { minimum, maximum, ...rest } = keywords;
  const isSafe =
    minimum === Number.MIN_SAFE_INTEGER && maximum === Number.MAX_SAFE_INTEGER;
  return isSafe
    ? `safe ${String(type)}${renderKeywords(rest)}`
    : `${String(type)}${renderKeywords(keywords)}`;
}

function toDigest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
