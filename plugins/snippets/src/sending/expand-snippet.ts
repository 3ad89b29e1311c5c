import type {
  Snippet,
  SnippetContext,
  SnippetExpansion,
  SnippetPlaceholder,
} from "../contract.ts";
import { errors } from "../errors.ts";
import { expandBody } from "../language/expand-body.ts";
import { MAX_TEXT_LENGTH } from "../language/grammar.ts";

export type GivenValues = Readonly<Record<string, string>>;

/**
 * Puts values into a snippet, after it looked whether they may be there.
 *
 * @throws `SNIPPET_VALUE_UNKNOWN`, `SNIPPET_VALUE_RESERVED`, `SNIPPET_ENUM`, `SNIPPET_TOO_LONG`
 */
export function expandSnippet(
  { body, placeholders }: Pick<Snippet, "body" | "placeholders">,
  values: GivenValues,
  context: SnippetContext,
): SnippetExpansion {
  checkNames(placeholders, values);
  for (const placeholder of placeholders) checkChoice(placeholder, values);
  const filled = new Map(Object.entries(values));
  for (const [name, value] of Object.entries(context))
    if (value !== undefined) filled.set(name, value);
  try {
    const { text, missing } = expandBody(body, filled, MAX_TEXT_LENGTH);
    return { text, missing, placeholders, context };
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    throw errors.SNIPPET_TOO_LONG({ limit: MAX_TEXT_LENGTH }, { cause });
  }
}

function checkNames(
  placeholders: readonly SnippetPlaceholder[],
  values: GivenValues,
): void {
  const known = new Map(placeholders.map((row) => [row.name, row]));
  const names = Object.keys(values);
  const unknown = names.filter((name) => !known.has(name));
  if (unknown.length > 0)
    throw errors.SNIPPET_VALUE_UNKNOWN(
      {
        names: toList(unknown.slice(0, 5).map((name) => name.slice(0, 40))),
        known: toList(
          placeholders
            .filter(({ reserved }) => !reserved)
            .map(({ name }) => name),
        ),
      },
      {
        errors: unknown
          .slice(0, 100)
          .map((name) => toIssue(name, "no such placeholder")),
      },
    );
  const reserved = names.filter((name) => known.get(name)?.reserved);
  if (reserved.length > 0)
    throw errors.SNIPPET_VALUE_RESERVED(
      { names: toList(reserved) },
      {
        errors: reserved.map((name) => toIssue(name, "filled from the target")),
      },
    );
}

function checkChoice(
  { name, enum: allowed }: SnippetPlaceholder,
  values: GivenValues,
): void {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  // An empty value is none: the default is used, or it is skipped, or it is missing.
  if (!value || !allowed || allowed.includes(value)) return;
  throw errors.SNIPPET_ENUM(
    { name, value: value.slice(0, 200), allowed },
    { errors: [toIssue(name, `must be one of: ${allowed.join(", ")}`)] },
  );
}

function toIssue(name: string, message: string) {
  return { path: `values.${name.slice(0, 40)}`, message };
}

function toList(names: readonly string[]): string {
  return names.length === 0
    ? "none"
    : names.map((name) => `"${name}"`).join(", ");
}
