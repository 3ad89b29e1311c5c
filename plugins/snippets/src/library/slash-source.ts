import type { SlashSource } from "@gantry/plugin-agents/contract";
import type { Library } from "./library.ts";

/** Prompts offered at first; the others are found by typing `/snip:`. */
const OFFERED = 100;

/** Offers the prompts of the library after a slash in the composer of an agent. */
export function createSlashSource(library: Library): SlashSource {
  return {
    async list() {
      const { items } = await library.list({ kind: "prompt", limit: OFFERED });
      return {
        items: items.map(({ slug, title, description }) => ({
          name: `snip:${slug}`,
          description: description ?? title,
          source: "snippet" as const,
        })),
      };
    },
  };
}
