import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { bootstrapFolder } from "./shell.mjs";

const DAY_MS = 24 * 3_600_000;
/** Results of commits that nobody has tested for so long are not worth their room. */
const MAX_AGE_MS = 14 * DAY_MS;

/**
 * Prepares turbo's cache outside of the checkout, where every clone of this user finds it: a private folder, without
 * entries that are older than two weeks.
 *
 * @param {NodeJS.ProcessEnv} [env]
 * @param {number} [now]
 * @returns {string} its path
 */
export function prepareCache(env = process.env, now = Date.now()) {
  const base = env.XDG_CACHE_HOME || join(env.HOME || homedir(), ".cache");
  const folder = join(base, "gantry/turbo");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  // One that was there may be open to others, who could put results of their own into it.
  chmodSync(folder, 0o700);
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    try {
      if (now - statSync(path).mtimeMs > MAX_AGE_MS)
        rmSync(path, { recursive: true, force: true });
    } catch {
      // Another run has trimmed it.
    }
  }
  return folder;
}

/**
 * One value for everything of the machine that results of tests depend on. It is part of their hashes as
 * `GANTRY_MACHINE`, so that a result of another browser or git is not taken for one of this machine.
 *
 * @param {string | undefined} chromium Path of the browser for tests.
 */
export function describeMachine(chromium) {
  const facts = [
    process.platform,
    process.arch,
    process.version,
    `root: ${process.getuid?.() === 0}`,
    `memory folder: ${existsSync("/dev/shm")}`,
    chromium ?? "no browser",
    chromium ? versionOf(chromium) : "",
    versionOf("git"),
    versionOf("bash"),
    readFileSync(join(bootstrapFolder, "package-lock.json"), "utf8"),
  ];
  return createHash("sha256").update(facts.join("\0")).digest("hex");
}

function versionOf(program) {
  const { stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
  return stdout?.split("\n")[0] ?? "none";
}
