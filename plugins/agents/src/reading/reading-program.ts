import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * Arguments of Node with which it starts the `git` that only reads: beside this file when it is built. From its source it
 * takes what it imports from there too.
 */
export function readingProgram(): string[] {
  const built = fileURLToPath(new URL("reading-git.mjs", import.meta.url));
  const source = fileURLToPath(
    new URL("../reading-git/main.ts", import.meta.url),
  );
  return existsSync(built) ? [built] : ["--conditions=gantry-source", source];
}
