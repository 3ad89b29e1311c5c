import { chmodSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const DAY_MS = 24 * 3_600_000;

/**
 * Prepares a folder outside of the checkout, where every clone of this user finds it, without entries that nobody has
 * changed for some days.
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
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // One that was there may be open to others, who could put files of their own into it.
  chmodSync(folder, 0o700);
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
