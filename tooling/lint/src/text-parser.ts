import type { Linter } from "eslint";

/** Parses any text to an empty program, for rules that read the text of a file, such as Markdown or CSS. */
export const textParser: Linter.Parser = {
  meta: { name: "@gantry/lint/text" },
  parse(text: string) {
    const lines = text.split(/\r\n|[\r\n\u2028\u2029]/);
    return {
      type: "Program",
      sourceType: "module",
      body: [],
      comments: [],
      tokens: [],
      range: [0, text.length],
      loc: {
        start: { line: 1, column: 0 },
        end: { line: lines.length, column: lines.at(-1)!.length },
      },
    };
  },
};
