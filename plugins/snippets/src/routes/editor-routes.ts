import { defineRoute, paginate, positionKey } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import { pageOf, pageQuery } from "@gantry/plugin/zod";
import * as z from "zod";
import {
  bodyProblem,
  snippetConversion,
  snippetKind,
  snippetPlaceholder,
  snippetStarter,
} from "../contract.ts";
import { errors } from "../errors.ts";
import { escapeText } from "../language/edit-placeholder.ts";
import { MAX_BODY_LENGTH } from "../language/grammar.ts";
import { toTable } from "../language/list-placeholders.ts";
import { scanBody } from "../language/scan-body.ts";
import { suggestConversions } from "../language/suggest-conversions.ts";
import { toTitle } from "../language/to-title.ts";
import type { Library } from "../library/library.ts";
import { expectSlug } from "../library/slugs.ts";
import { textInput } from "../library/snippet-input.ts";
import { starters } from "../starters.ts";

const checked = {
  /** The table of the body, without lists of allowed values. */
  placeholders: z.array(snippetPlaceholder),
  /** What is broken, at most 100 of it. */
  errors: z.array(bodyProblem),
  /** A body that stands for just this text, with each `{{` escaped; `null` if the text has none, or it would be too long. */
  literal: z.string().nullable(),
};

/** What an editor asks before anything is saved. */
export function createEditorRoutes(library: Library): RouteDefinition[] {
  return [
    defineRoute({
      method: "GET",
      path: "/api/snips/slug/{slug}",
      summary: "Whether a slug is free",
      description:
        "`except` is the snippet that is edited, which never clashes with itself. `target` says where a snippet of this `kind` is sent.",
      access: "session",
      query: z.strictObject({
        except: z.string().max(200).optional(),
        kind: snippetKind.default("prompt"),
      }),
      returns: z.object({
        slug: z.string(),
        available: z.boolean(),
        clash: z.object({ id: z.string(), title: z.string() }).nullable(),
        target: z.enum(["composer", "terminal"]),
      }),
      errors: ["SNIPPET_SLUG_INVALID"],
      handle({ params, query: { except, kind } }) {
        const slug = expectSlug(toText(params.slug));
        const clash = library.clash(slug, except) ?? null;
        const target = kind === "command" ? "terminal" : "composer";
        return { slug, available: clash === null, clash, target } as const;
      },
    }),
    defineRoute({
      method: "POST",
      path: "/api/snips/check",
      summary: "The placeholders of a body, and what is broken in it",
      access: "session",
      body: z.strictObject({ body: textInput }),
      returns: z.object(checked),
      handle: ({ body: { body } }) => check(body),
    }),
    defineRoute({
      method: "POST",
      path: "/api/snips/import",
      summary: "What could be placeholders in a raw prompt",
      description:
        "Nothing is saved. Text of other template languages can be taken by its `literal` form. Each conversion of `[BRACKETS]` and `UPPER_CASE` words stands alone, so that any of them can be left out.",
      access: "session",
      body: z.strictObject({ text: textInput }),
      returns: z.object({
        text: z.string(),
        title: z.string(),
        conversions: z.array(snippetConversion),
        ...checked,
      }),
      handle: ({ body: { text } }) => ({
        text,
        title: toTitle(text),
        conversions: suggestConversions(text),
        ...check(text),
      }),
    }),
    defineRoute({
      method: "GET",
      path: "/api/snips/starters",
      summary: "Snippets to begin with",
      description: "Create one with `POST /api/snips`, as it is or changed.",
      access: "session",
      query: pageQuery,
      returns: pageOf(snippetStarter),
      handle: ({ query }) =>
        paginate(starters, query, (_, index) => positionKey(index), {
          order: "ascending",
        }),
    }),
  ];
}

/** A part of a path as it was meant; the kernel hands it over as it was sent. */
function toText(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (cause) {
    throw errors.SNIPPET_SLUG_INVALID({}, { cause });
  }
}

function check(body: string) {
  const { parts, problems } = scanBody(body);
  return {
    placeholders: toTable(parts).map((row) => ({ ...row, enum: null })),
    errors: problems,
    literal: toLiteral(body),
  };
}

function toLiteral(text: string): string | null {
  const literal = escapeText(text);
  return literal === text || literal.length > MAX_BODY_LENGTH ? null : literal;
}
