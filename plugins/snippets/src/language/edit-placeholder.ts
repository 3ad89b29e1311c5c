import { checkDefault, isName, isReservedName } from "./grammar.ts";
import type { Placeholder } from "./list-placeholders.ts";
import { scanBody } from "./scan-body.ts";

/**
 * Writes a row of the placeholder table back into a body, at each use of the name. A default that is not empty makes it
 * `{{name=default}}`, whatever `optional` says; else it is `{{name=}}` or `{{name}}`. A name that the body does not use
 * changes nothing.
 *
 * @throws RangeError if the name is reserved or the default cannot stand in a body; `checkDefault` says it beforehand.
 */
export function editPlaceholder(
  body: string,
  name: string,
  edit: Pick<Placeholder, "default" | "optional">,
): string {
  const written = writePlaceholder(name, edit);
  return scanBody(body)
    .parts.map((part) =>
      part.kind === "placeholder" && part.name === name
        ? written
        : body.slice(part.from, part.to),
    )
    .join("");
}

/**
 * The text of a placeholder, such as `{{name=default}}`.
 *
 * @throws RangeError if there is no such placeholder.
 */
export function writePlaceholder(
  name: string,
  { default: standard, optional }: Pick<Placeholder, "default" | "optional">,
): string {
  const problem = isName(name)
    ? checkDefault(standard ?? "")
    : `"${name}" is no name of a placeholder.`;
  if (problem !== undefined) throw new RangeError(problem);
  const isPlain = !standard && !optional;
  if (isReservedName(name) && !isPlain)
    throw new RangeError(
      `{{${name}}} is filled from the target and cannot be edited.`,
    );
  return isPlain ? `{{${name}}}` : `{{${name}=${standard ?? ""}}}`;
}

/** A text as a body that stands for just this text: each `{{` in it is written `{{{{`. */
export function escapeText(text: string): string {
  return text.replaceAll("{{", "{{{{");
}

/** A body in which all that is broken stands for itself: each `{{` that begins no placeholder is written `{{{{`. */
export function escapeProblems(body: string): string {
  return scanBody(body)
    .parts.map(({ kind, from, to }) => {
      const written = body.slice(from, to);
      return kind === "text" ? written.replace(/\{+/g, escapeRun) : written;
    })
    .join("");
}

/** Of a run of braces, each four are two that mean nothing already. */
function escapeRun(run: string): string {
  const left = run.length % 4;
  return left >= 2 ? `${run}{{` : run;
}
