import { defineRoute } from "@gantry/plugin";
import type { RouteDefinition } from "@gantry/plugin";
import { okAnswer, pageOf, pageQuery } from "@gantry/plugin/zod";
import * as z from "zod";
import { snippet, snippetKind } from "../contract.ts";
import type { Library } from "../library/library.ts";
import { newSnippet, snippetChange } from "../library/snippet-input.ts";
import { snippetId } from "./snippet-id.ts";

const listQuery = pageQuery.extend({
  q: z.string().max(1000).optional(),
  kind: snippetKind.optional(),
  tag: z.string().max(200).optional(),
});

const SAVE_ERRORS = [
  "SNIPPET_SLUG_INVALID",
  "SNIPPET_SLUG_TAKEN",
  "SNIPPET_BODY_INVALID",
  "SNIPPET_PLACEHOLDER_INVALID",
  "SNIPPET_ENUM",
];

/** Lists, shows, saves and deletes snippets. */
export function createSnippetRoutes(library: Library): RouteDefinition[] {
  return [
    defineRoute({
      method: "GET",
      path: "/api/snips",
      summary: "The saved snippets",
      description:
        "Newest first. `q` finds those that have all of its words in title, slug, tags, description or body, whatever their case; `kind` and `tag` narrow further.",
      access: "session",
      query: listQuery,
      returns: pageOf(snippet),
      errors: ["SNIPPET_CURSOR_INVALID"],
      handle: ({ query }) => library.list(query),
    }),
    defineRoute({
      method: "POST",
      path: "/api/snips",
      summary: "Save a new snippet",
      description:
        "Without a `title` it is called by the first words of its body; without a `slug` it gets the one that its title makes, with a number if that is taken. `placeholders` holds the lists of allowed values; all else of the table is in the body.",
      access: "session",
      idempotent: true,
      body: newSnippet,
      returns: snippet,
      errors: SAVE_ERRORS,
      handle: ({ body }) => library.create(body),
    }),
    defineRoute({
      method: "GET",
      path: "/api/snips/{id}",
      summary: "One snippet",
      access: "session",
      params: snippetId,
      returns: snippet,
      errors: ["SNIPPET_NOT_FOUND"],
      handle: ({ params: { id } }) => library.get(id),
    }),
    defineRoute({
      method: "PATCH",
      path: "/api/snips/{id}",
      summary: "Change a snippet",
      description:
        "A new `body` keeps the lists of allowed values of the names that it still has; `placeholders` replaces them all.",
      access: "session",
      params: snippetId,
      body: snippetChange,
      returns: snippet,
      errors: ["SNIPPET_NOT_FOUND", ...SAVE_ERRORS],
      handle: ({ params: { id }, body, ifMatch }) =>
        library.change(id, body, ifMatch),
    }),
    defineRoute({
      method: "DELETE",
      path: "/api/snips/{id}",
      summary: "Delete a snippet",
      access: "session",
      params: snippetId,
      returns: okAnswer,
      errors: ["SNIPPET_NOT_FOUND"],
      async handle({ params: { id }, ifMatch }) {
        await library.remove(id, ifMatch);
        return { ok: true as const };
      },
    }),
    defineRoute({
      method: "POST",
      path: "/api/snips/{id}/duplicate",
      summary: "Save a copy of a snippet",
      description:
        "The copy has its body, kind and tags, and a title and slug of its own.",
      access: "session",
      idempotent: true,
      params: snippetId,
      body: z.strictObject({}),
      returns: snippet,
      errors: ["SNIPPET_NOT_FOUND"],
      handle: ({ params: { id } }) => library.duplicate(id),
    }),
  ];
}
