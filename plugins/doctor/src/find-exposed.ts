import { lstat, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Exposed } from "./contract.ts";

const OPEN_TO_OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

/**
 * Finds what other users of the machine can open or change of a home. Of what lies deeper only the private paths count,
 * since a closed folder keeps others out.
 *
 * @param home Folder of the home.
 * @param privatePaths Files and folders that only the user may read or write.
 */
export async function findExposed(
  home: string,
  privatePaths: readonly string[],
): Promise<Exposed[]> {
  if (process.platform === "win32") return [];
  const secrets = new Set(privatePaths);
  const names = await readdir(home).catch(() => []);
  const paths = new Set([...secrets, ...names.map((name) => join(home, name))]);
  const exposed: Exposed[] = [];
  for (const path of paths) {
    const problem = await problemOf(path, secrets.has(path));
    if (problem) exposed.push(problem);
  }
  for (let at = dirname(home); at !== dirname(at); at = dirname(at)) {
    const stats = await lstat(at).catch(() => undefined);
    // In a sticky folder such as /tmp, only the owner of an entry can move it.
    if (!stats || (stats.mode & STICKY) !== 0) continue;
    if ((stats.mode & WRITABLE_BY_OTHERS) !== 0)
      exposed.push({ path: at, mode: modeOf(stats.mode), problem: "above" });
  }
  return exposed;
}

async function problemOf(
  path: string,
  isSecret: boolean,
): Promise<Exposed | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  if (!stats) return undefined;
  const mode = modeOf(stats.mode);
  if (stats.uid !== process.getuid?.())
    return { path, mode, problem: "foreign" };
  if (!isSecret) return undefined;
  if (stats.isSymbolicLink()) return { path, mode, problem: "link" };
  return (stats.mode & OPEN_TO_OTHERS) === 0
    ? undefined
    : { path, mode, problem: "open" };
}

const modeOf = (mode: number) => (mode & 0o7777).toString(8).padStart(4, "0");
