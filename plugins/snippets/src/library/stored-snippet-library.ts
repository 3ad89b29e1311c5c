import { isGantryError, isIdentifier } from "@gantry/plugin";
import { dictionaryOf } from "@gantry/plugin/zod";
import * as z from "zod";
import { snippetContext, snippetKind } from "../contract.ts";
import type { SnippetLibrary } from "../contract.ts";
import { errors } from "../errors.ts";
import { readSlug } from "../language/to-slug.ts";
import { expandSnippet } from "../sending/expand-snippet.ts";
import type { Targets } from "../sending/targets.ts";
import type { Library } from "./library.ts";

const listInput = z.strictObject({
  q: z.string().max(1000).optional(),
  kind: snippetKind.optional(),
  tag: z.string().max(200).optional(),
  limit: z.number().int().min(1).max(500).default(50),
});

const expandInput = z.strictObject({
  id: z.string(),
  values: dictionaryOf(z.string()).prefault({}),
  context: snippetContext.default({}),
});

/** Serves {@link SnippetLibrary} from the stored snippets. */
export function createStoredSnippetLibrary(
  library: Library,
  targets: Targets,
): SnippetLibrary {
  async function get(id: string) {
    if (!isIdentifier("snp", id)) throw errors.SNIPPET_NOT_FOUND({ id });
    return await library.get(id);
  }

  return {
    async list(input) {
      return { items: (await library.list(listInput.parse(input))).items };
    },
    async get(input) {
      if ("slug" in input)
        return (await library.withSlug(readSlug(input.slug) ?? "")) ?? null;
      try {
        return await get(input.id);
      } catch (error) {
        if (isGantryError(error) && error.code === "SNIPPET_NOT_FOUND")
          return null;
        throw error;
      }
    },
    async expand(input) {
      const { id, values, context } = expandInput.parse(input);
      return expandSnippet(await get(id), values, {
        ...targets.none(),
        ...context,
      });
    },
  };
}
