import type { CollectionDefinition } from "@gantry/plugin";
import { snippet } from "../contract.ts";
import type { Snippet, SnippetBrief } from "../contract.ts";

/** The stored snippets. What no index finds is searched in memory, by the catalog. */
export const snippetCollection: CollectionDefinition<Snippet> = {
  name: "snippet",
  version: 1,
  schema: snippet,
  indexes: {
    // Not a unique index of the store: an older version of the plugin wrote records that were never checked against one.
    slug: ({ slug }) => [slug],
    kind: ({ kind, createdAt }) => [kind, createdAt],
  },
};

/** The data of a snippet's events. */
export function toBrief({ slug, kind, title }: SnippetBrief): SnippetBrief {
  return { slug, kind, title };
}
