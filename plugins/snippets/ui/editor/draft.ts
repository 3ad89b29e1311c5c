import { checkDefault } from "../../src/language/grammar.ts";
import { listPlaceholders } from "../../src/language/list-placeholders.ts";
import { scanBody, type BodyProblem } from "../../src/language/scan-body.ts";
import { readSlug, toSlug } from "../../src/language/to-slug.ts";
import type { Kind, Placeholder, Snippet } from "../wire.ts";

/** A snippet while it is written. */
export interface Draft {
  kind: Kind;
  title: string;
  /** Follows the title until another one is entered. */
  slug: string;
  slugIsOwn: boolean;
  description: string;
  tags: string[];
  body: string;
  /** Allowed values by name, as they are typed; a name can be that of a member of every object. */
  enums: Map<string, string>;
}

export const longest = {
  title: 200,
  description: 500,
  body: 100_000,
  tag: 50,
} as const;

/** A snippet that is not written yet. */
export function newDraft(given: Partial<Draft> = {}): Draft {
  const draft: Draft = {
    kind: "prompt",
    title: "",
    slug: "",
    slugIsOwn: false,
    description: "",
    tags: [],
    body: "",
    enums: new Map(),
    ...given,
  };
  return { ...draft, slug: draft.slug || slugFor(draft.title) };
}

/** What there is to edit of a snippet. */
export function toDraft(snippet: Snippet): Draft {
  return {
    kind: snippet.kind,
    title: snippet.title,
    slug: snippet.slug,
    slugIsOwn: true,
    description: snippet.description ?? "",
    tags: [...snippet.tags],
    // As the editor has it; otherwise places in the text would not be the same there.
    body: snippet.body.replaceAll("\r\n", "\n"),
    enums: new Map(
      snippet.placeholders.flatMap(({ name, enum: values }) =>
        values ? [[name, values.join(", ")]] : [],
      ),
    ),
  };
}

/** The slug that a title gives; none as long as there is no title. */
export function slugFor(title: string): string {
  return title.trim() === "" ? "" : toSlug(title);
}

/** The values in a comma-separated text, each once; `null` if there are none. */
export function readEnum(text: string | undefined): string[] | null {
  const values = (text ?? "").split(",").map((value) => value.trim());
  const unique = [...new Set(values.filter((value) => value !== ""))];
  return unique.length > 0 ? unique : null;
}

/** The table of a body with its allowed values, as the snippet would have it. */
export function toPlaceholders(
  draft: Pick<Draft, "body" | "enums">,
): Placeholder[] {
  return listPlaceholders(draft.body).map((placeholder) => ({
    ...placeholder,
    enum: placeholder.reserved
      ? null
      : readEnum(draft.enums.get(placeholder.name)),
  }));
}

/** What a snippet is saved as. */
export function toBody(draft: Draft): Record<string, unknown> {
  return {
    kind: draft.kind,
    title: draft.title.trim(),
    slug: readSlug(draft.slug) ?? draft.slug,
    description: draft.description.trim() || null,
    tags: draft.tags,
    body: draft.body,
    placeholders: toPlaceholders(draft).flatMap(({ name, enum: values }) =>
      values ? [{ name, enum: values }] : [],
    ),
  };
}

/** Whether two drafts would be saved as the same snippet. */
export function isSame(one: Draft, other: Draft): boolean {
  return JSON.stringify(toBody(one)) === JSON.stringify(toBody(other));
}

/** What keeps a draft from being saved, as this page can know it. */
export interface DraftProblems {
  fields: Readonly<Record<string, { message: string; missing?: boolean }>>;
  body: readonly BodyProblem[];
}

/** Finds what keeps a draft from being saved. */
export function problemsOf(draft: Draft): DraftProblems {
  const fields: Record<string, { message: string; missing?: boolean }> = {};
  if (draft.title.trim() === "")
    fields["title"] = { message: "Give it a title.", missing: true };
  if (draft.slug === "")
    fields["slug"] = { message: "Give it a slug.", missing: true };
  else if (readSlug(draft.slug) === undefined)
    fields["slug"] = {
      message: "A slug has 1 to 64 of a to z, 0 to 9 and -.",
    };
  if (draft.body.trim() === "")
    fields["body"] = { message: "Write what is to be sent.", missing: true };
  else if (draft.body.length > longest.body)
    fields["body"] = {
      message: `The text has ${draft.body.length} characters; ${longest.body} are the most.`,
    };
  for (const placeholder of toPlaceholders(draft)) {
    const message = problemOf(placeholder);
    if (message) fields[`enums.${placeholder.name}`] = { message };
  }
  return { fields, body: scanBody(draft.body).problems };
}

function problemOf({
  default: standard,
  enum: values,
}: Placeholder): string | undefined {
  if (standard === null || values === null || values.includes(standard))
    return undefined;
  return `The default "${standard}" is not one of the allowed values.`;
}

/** Says why a text cannot be a default. */
export const problemOfDefault = checkDefault;
