/** A code block of a Markdown page, in the order of the page. */
export type PageBlock =
  /** A file to write: a block with `file=<path>`. */
  | { readonly kind: "file"; readonly path: string; readonly text: string }
  /** Commands to run: a block of the language `sh`. */
  | { readonly kind: "shell"; readonly text: string }
  /** What the commands before print: a block with `output`. */
  | {
      readonly kind: "output";
      readonly language: string;
      readonly text: string;
    };

const FENCE = /^```(\w+)(?: (?:file=(\S+)|(output)))?\n([\s\S]*?)^```$/gm;

/**
 * Reads the code blocks of a Markdown page that are to be executed.
 *
 * @throws Error for a block that is none of these, since it would be shown and not tested.
 */
export function readPageBlocks(page: string): PageBlock[] {
  const blocks = [...page.matchAll(FENCE)].map(
    ([, language = "", path, output, text = ""]): PageBlock => {
      if (path !== undefined) return { kind: "file", path, text };
      if (output !== undefined) return { kind: "output", language, text };
      if (language === "sh") return { kind: "shell", text };
      throw new Error(`A block of ${language} is not executed:\n${text}`);
    },
  );
  const fences = page.match(/^```/gm)?.length ?? 0;
  if (fences !== blocks.length * 2)
    throw new Error("The page has a block that could not be read.");
  return blocks;
}
