import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { preparePrivateCache } from "./private-cache.mjs";
import { bootstrapFolder } from "./shell.mjs";

/**
 * Prepares turbo's cache. Removes results that were not used for two weeks.
 *
 * @param {NodeJS.ProcessEnv} [env]
 * @param {number} [now]
 * @returns {string} its path
 */
export function prepareCache(env, now) {
  return preparePrivateCache("turbo", { maxAgeDays: 14, env, now });
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
