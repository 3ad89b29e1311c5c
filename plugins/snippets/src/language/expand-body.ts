import { toTable } from "./list-placeholders.ts";
import { scanBody } from "./scan-body.ts";

/** Values by name. An empty one is the same as none. */
export type Values =
  ReadonlyMap<string, string> | Readonly<Record<string, string>>;

/** The result of expanding a body. */
export interface Expansion {
  /** The body with its values. A placeholder that has none stands there as it is written in the body. */
  text: string;
  /** Names that need a value and have none, in the order of their first use. */
  missing: string[];
}

/**
 * Puts values into a body, in one pass over it: a value is text, and is never looked at again. Nothing is quoted and
 * nothing runs. A name without a value takes its default; one that is optional takes nothing.
 *
 * @throws RangeError if the text would have more than `limit` characters. It is known before the text is made, so that
 * a long value in a body that uses it often costs nothing.
 */
export function expandBody(
  body: string,
  values: Values,
  limit = Number.POSITIVE_INFINITY,
): Expansion {
  const { parts } = scanBody(body);
  const filled = new Map<string, string>();
  const missing: string[] = [];
  for (const { name, default: standard, optional } of toTable(parts)) {
    const value = valueOf(values, name) || standard;
    if (value !== null) filled.set(name, value);
    else if (optional) filled.set(name, "");
    else missing.push(name);
  }
  const pieces = parts.map((part) =>
    part.kind === "text"
      ? part.text
      : (filled.get(part.name) ?? body.slice(part.from, part.to)),
  );
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length > limit)
    throw new RangeError(
      `The text would have ${length} characters; ${limit} are the most.`,
    );
  return { text: pieces.join(""), missing };
}

function valueOf(values: Values, name: string): string | null {
  if (values instanceof Map)
    return (values as ReadonlyMap<string, string>).get(name) ?? null;
  // A name can be that of a method of every object, such as "constructor".
  return Object.hasOwn(values, name)
    ? ((values as Readonly<Record<string, string>>)[name] ?? null)
    : null;
}
