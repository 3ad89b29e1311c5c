import { StreamLanguage } from "@codemirror/language";
import { highlightTree, tagHighlighter, tags } from "@lezer/highlight";
import { languageOf } from "../files/languageOf.ts";

/** A part of a line in one colour. */
export interface Token {
  from: number;
  to: number;
  class: string;
}

/** Longer lines, such as of code that was made smaller, are shown without colours too. */
const MAX_LINE_LENGTH = 2_000;
/** Longer texts are shown without colours, so that none holds up the page. */
const MAX_LENGTH = 200_000;

const colors = tagHighlighter([
  { tag: [tags.comment, tags.meta], class: "text-muted" },
  {
    tag: [tags.keyword, tags.operatorKeyword, tags.modifier],
    class: "text-primary",
  },
  {
    tag: [tags.string, tags.regexp, tags.special(tags.string)],
    class: "text-success",
  },
  {
    tag: [tags.number, tags.bool, tags.null, tags.atom],
    class: "text-warning",
  },
  {
    tag: [tags.tagName, tags.heading, tags.definition(tags.variableName)],
    class: "text-highlighted",
  },
  {
    tag: [tags.typeName, tags.className, tags.attributeName],
    class: "text-info",
  },
]);

/**
 * The colours of lines that follow each other, such as one side of a hunk, by the language of a file's name. Without any for
 * plain text and for very long ones.
 */
export async function highlightLines(
  path: string,
  lines: readonly string[],
): Promise<Token[][]> {
  const found: Token[][] = lines.map(() => []);
  const text = lines.join("\n");
  const mode = text.length > MAX_LENGTH ? undefined : await languageOf(path);
  if (!mode) return found;
  let line = 0;
  let start = 0;
  const tree = StreamLanguage.define(mode).parser.parse(text);
  highlightTree(tree, colors, (from, to, name) => {
    // A token that spans lines, such as a comment, has a part in each.
    let at = from;
    while (at < to) {
      while (line < lines.length && at > start + (lines[line]?.length ?? 0)) {
        start += (lines[line]?.length ?? 0) + 1;
        line += 1;
      }
      const end = start + (lines[line]?.length ?? 0);
      if (at < end && end - start <= MAX_LINE_LENGTH)
        found[line]?.push({
          from: at - start,
          to: Math.min(to, end) - start,
          class: name,
        });
      at = end + 1;
    }
  });
  return found;
}
