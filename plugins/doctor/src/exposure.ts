import { lstat, readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Seen } from "./report.ts";

const OPEN_TO_OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;
const STICKY = 0o1000;

/**
 * Finds what others than its user can open or change of a home. What lies deeper counts only if it is a secret, since
 * no user reaches it through a folder that is closed.
 *
 * @param secretPaths What only the user may open, and of folders but the home what is in them.
 */
export async function findExposed(
  home: string,
  secretPaths: readonly string[],
): Promise<Seen["exposed"]> {
  if (process.platform === "win32") return [];
  const within = await Promise.all(
    secretPaths.filter((path) => path !== home).map(namesIn),
  );
  const secrets = new Set([...secretPaths, ...within.flat()]);
  const paths = new Set([...secrets, ...(await namesIn(home))]);
  const exposed: Seen["exposed"] = [];
  for (const path of paths) {
    const problem = await problemOf(path, secrets.has(path));
    if (problem) exposed.push(problem);
  }
  for (let at = dirname(home); at !== dirname(at); at = dirname(at)) {
    const stats = await lstat(at).catch(() => undefined);
    // In a sticky folder such as /tmp no user can move the files of another one.
    if (!stats || (stats.mode & STICKY) !== 0) continue;
    if ((stats.mode & WRITABLE_BY_OTHERS) !== 0)
      exposed.push({ path: at, mode: modeOf(stats.mode), problem: "above" });
  }
  return exposed;
}

async function namesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.map((name) => join(folder, basename(name)));
}

async function problemOf(
  path: string,
  isSecret: boolean,
): Promise<Seen["exposed"][number] | undefined> {
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
