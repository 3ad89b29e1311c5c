import type { SnippetPlaceholder } from "../contract.ts";
import { errors } from "../errors.ts";
import { toTable } from "../language/list-placeholders.ts";
import type { Placeholder } from "../language/list-placeholders.ts";
import { scanBody } from "../language/scan-body.ts";
import type { PlaceholderInput } from "./snippet-input.ts";

/**
 * The table of a body that is to be saved, with the lists of allowed values that were given for it.
 *
 * @throws `SNIPPET_BODY_INVALID`, `SNIPPET_PLACEHOLDER_INVALID`, `SNIPPET_ENUM`
 */
export function toPlaceholders(
  body: string,
  given: readonly PlaceholderInput[],
): SnippetPlaceholder[] {
  const table = readTable(body);
  const rows = new Map<string, PlaceholderInput>();
  for (const row of given) {
    const { name } = row;
    const placeholder = table.find((other) => other.name === name);
    if (!placeholder) throw misfit(name, "the body does not use it.");
    if (rows.has(name)) throw misfit(name, "it stands in the table twice.");
    checkRow(row, placeholder);
    rows.set(name, row);
  }
  return table.map((placeholder) => {
    const values = rows.get(placeholder.name)?.enum ?? [];
    return { ...placeholder, enum: values.length === 0 ? null : values };
  });
}

/**
 * The table of a body whose lists were kept beside another body: of those, what still fits by name.
 *
 * @throws as {@link toPlaceholders}
 */
export function carryPlaceholders(
  body: string,
  before: readonly SnippetPlaceholder[],
): SnippetPlaceholder[] {
  const names = new Set(readTable(body).map(({ name }) => name));
  return toPlaceholders(
    body,
    before
      .filter(({ name }) => names.has(name))
      .map(({ name, enum: values }) => ({ name, enum: values })),
  );
}

function readTable(body: string): Placeholder[] {
  const { parts, problems } = scanBody(body);
  const [first] = problems;
  if (first)
    throw errors.SNIPPET_BODY_INVALID(
      { line: first.line, column: first.column, message: first.message },
      {
        errors: problems.map(({ line, column, message }) => ({
          path: "body",
          message: `Line ${line}, column ${column}: ${message}`,
        })),
      },
    );
  return toTable(parts);
}

function checkRow(row: PlaceholderInput, placeholder: Placeholder): void {
  const { name } = row;
  // What a client read it may send back; a table that says other than the body would be changed in silence.
  for (const field of ["default", "optional", "reserved"] as const)
    if (row[field] !== undefined && row[field] !== placeholder[field])
      throw misfit(
        name,
        `its "${field}" is derived from the body, where it is ${JSON.stringify(placeholder[field])}; write it there.`,
      );
  const values = row.enum ?? [];
  if (values.length === 0) return;
  if (placeholder.reserved)
    throw misfit(name, "it is filled from the target, so it has no list.");
  if (placeholder.default !== null && !values.includes(placeholder.default))
    throw errors.SNIPPET_ENUM({
      name: `the default of ${name}`,
      value: placeholder.default,
      allowed: values,
    });
}

function misfit(name: string, reason: string): Error {
  return errors.SNIPPET_PLACEHOLDER_INVALID({ name: `"${name}"`, reason });
}
