import type { CollectionDefinition } from "@gantry/plugin";
import { snippet } from "../contract.ts";
import type { Snippet, SnippetBrief } from "../contract.ts";

/** The stored snippets. Orders other than by time are kept in memory, where searching is quick. */
export const snippetCollection: CollectionDefinition<Snippet> = {
  name: "snippet",
  version: 1,
  schema: snippet,
  // Records that a backup brings are not checked by the library: of two with one slug, the one that was here stays.
  indexes: { slug: ({ slug }) => [slug] },
  unique: ["slug"],
};

/** What events report about a snippet. */
export function toBrief({ slug, kind, title }: SnippetBrief): SnippetBrief {
  return { slug, kind, title };
}
