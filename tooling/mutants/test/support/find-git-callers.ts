import { glob, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
/** Asks for the program, as all code that runs it must. */
const ASKS_FOR_GIT =
  /\.find\(\s*["'`]git["'`]|\b(run|collect)\(\s*["'`]git["'`]/;

/** Sources that run git. */
export async function findGitCallers(): Promise<string[]> {
  const callers: string[] = [];
  for await (const path of glob("{kernel,plugins}/*/src/**/*.ts", {
    cwd: ROOT,
  })) {
    if (ASKS_FOR_GIT.test(await readFile(`${ROOT}${path}`, "utf8")))
      callers.push(path);
  }
  return callers.sort();
}
