// A program, run in a process of its own that ends with its work: the compiler takes as much memory as the daemon at
// rest, and a third of a second in which nothing would be answered. It reads its input and writes its output as JSON.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { compile } from "tailwindcss";

/** What a sheet is made of. */
export interface UtilitiesInput {
  /** Further CSS with the values of the theme. */
  theme: string;
  /** Names that may be classes. */
  candidates: readonly string[];
  /** Finished CSS that comes after the utilities. */
  styles: readonly string[];
}

/** A finished sheet, as it is and compressed, in base64 by the suffix of its file. */
export type UtilitiesOutput = Readonly<Record<"" | ".br" | ".gz", string>>;

const { theme, candidates, styles } = JSON.parse(
  await text(process.stdin),
) as UtilitiesInput;
const packageFolder = dirname(
  createRequire(import.meta.url).resolve("tailwindcss/package.json"),
);
const source = [
  "@layer theme, base, components, utilities;",
  '@import "tailwindcss/theme.css" layer(theme);',
  theme,
  '@import "tailwindcss/utilities.css" layer(utilities);',
].join("\n");
const compiler = await compile(source, {
  base: packageFolder,
  async loadStylesheet(id, base) {
    const path = join(packageFolder, id.replace(/^tailwindcss\//, ""));
    return { path, base, content: await readFile(path, "utf8") };
  },
});
const css = Buffer.from(
  [compiler.build([...candidates]), ...styles].join("\n"),
);
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
const output: UtilitiesOutput = {
  "": css.toString("base64"),
  ".br": brotliCompressSync(css, brotli).toString("base64"),
  ".gz": gzipSync(css, { level: 9 }).toString("base64"),
};
process.stdout.write(JSON.stringify(output));
