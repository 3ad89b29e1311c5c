import type { Options } from "tsup";

/**
 * Writes bundles in ASCII, wherever esbuild itself does not: comments and regular expressions. One character beyond
 * Latin 1, and the engine keeps all of the text in two bytes a character for as long as it runs.
 */
export const asciiOutput: NonNullable<Options["plugins"]>[number] = {
  name: "ascii-output",
  esbuildOptions(options) {
    options.charset = "ascii";
  },
  renderChunk: (code) => ({
    code: code.replace(
      /[^\0-\x7f]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
  }),
};
