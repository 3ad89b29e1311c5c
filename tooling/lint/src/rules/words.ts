import { basename } from "node:path";
import type { Rule } from "eslint";
import { REFUSED_WORDS } from "../words.ts";

/** Between two words of a phrase: space, also over the end of a line of a comment or a Markdown paragraph. */
const GAP = String.raw`(?:[ \t]+|\s*\n[ \t]*(?:\*|\/\/|>)?[ \t]*)`;

const PATTERNS = REFUSED_WORDS.map(({ pattern, instead }) => ({
  pattern: new RegExp(
    pattern.source.replaceAll(" ", GAP),
    `g${pattern.flags.replace("g", "")}`,
  ),
  instead,
}));

/**
 * Keeps the words of `REFUSED_WORDS` out of comments, names, test titles, texts and file names. It reads a file as text,
 * so it needs no parser that knows the language.
 */
export const words: Rule.RuleModule = {
  meta: {
    type: "suggestion",
    schema: [],
    messages: { refused: '"{{found}}" is no plain term. Write {{instead}}.' },
  },
  create({ sourceCode, filename, report }) {
    return {
      Program() {
        const name = basename(filename);
        for (const { pattern, instead } of PATTERNS) {
          for (const { 0: match, index } of sourceCode.text.matchAll(pattern)) {
            const loc = {
              start: sourceCode.getLocFromIndex(index),
              end: sourceCode.getLocFromIndex(index + match.length),
            };
            const found = match.replaceAll(/\s*\n[\s*/>]*/g, " ");
            report({ loc, messageId: "refused", data: { found, instead } });
          }
          for (const [found] of name.matchAll(pattern)) {
            const loc = { line: 1, column: 0 };
            report({ loc, messageId: "refused", data: { found, instead } });
          }
        }
      },
    };
  },
};
