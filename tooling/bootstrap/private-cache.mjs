import { chmodSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const DAY_MS = 24 * 3_600_000;

/**
 * Prepares a folder in the user's cache, which all clones share. Removes entries that were not modified for `maxAgeDays`.
 * Ends the process with a message if the folder cannot be used.
 *
 * @param {string} name
 * @param {{ maxAgeDays: number, env?: NodeJS.ProcessEnv, now?: number }} options
 * @returns {string} its path
 */
export function preparePrivateCache(
  name,
  { maxAgeDays, env = process.env, now = Date.now() },
) {
  const base = env.XDG_CACHE_HOME || join(env.HOME || homedir(), ".cache");
  const folder = join(base, "gantry", name);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // An existing folder may be writable for others, who could put files of their own into it.
    chmodSync(folder, 0o700);
  } catch (error) {
    console.error(
      `Cannot use the cache folder ${folder} (${error.code}). Set XDG_CACHE_HOME to a folder that you can write to.`,
    );
    process.exit(1);
  }
  for (const entry of readdirSync(folder)) {
    const path = join(folder, entry);
    try {
      if (now - statSync(path).mtimeMs > maxAgeDays * DAY_MS)
        rmSync(path, { recursive: true, force: true });
    } catch {
      // Another run has removed it.
    }
  }
  return folder;
}
