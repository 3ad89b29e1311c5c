import { readFileSync } from "node:fs";

/** Leaves a file as it is: a file without a pragma is not parsed, and no file has one for this parser. */
const untouched = {
  parse: (text) => ({ text }),
  // A printer of Prettier itself; it is looked up and never called.
  astFormat: "estree",
  hasPragma: () => false,
  locStart: () => 0,
  locEnd: ({ text }) => text.length,
};

/** The patterns of `.prettierignore`, as overrides match them. */
const ignored = readFileSync(
  new URL(".prettierignore", import.meta.url),
  "utf8",
)
  .split("\n")
  .filter((line) => line !== "" && !line.startsWith("#"))
  .map((line) => line.replace(/^(?:\*\*\/)?(.+)\/$/, "**/$1/**"));

/** Default settings: there is nothing to debate. */
export default {
  plugins: [{ parsers: { untouched } }],
  // Prettier reads `.prettierignore` only in the folder that it is started in, which may be a package.
  overrides: [
    { files: ignored, options: { parser: "untouched", requirePragma: true } },
  ],
};
