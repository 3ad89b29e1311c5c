import { createHash } from "node:crypto";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder of this file, into which the toolchain is linked. */
export const bootstrapFolder = dirname(fileURLToPath(import.meta.url));

/** The root of the checkout. */
export const rootFolder = join(bootstrapFolder, "../..");

/**
 * A file that remembers what an installation was made from.
 * `isFresh()` is true while its sources have not changed since `write()`; `key` stands for their content.
 */
export function createStamp(file, sources) {
  const digest = createHash("sha256");
  for (const source of sources)
    digest.update(existsSync(source) ? readFileSync(source) : "").update("\0");
  const key = digest.digest("hex");
  return {
    key,
    isFresh: () => existsSync(file) && readFileSync(file, "utf8") === key,
    write() {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, key);
    },
  };
}

/** Runs a command to its end with our terminal; a failing command ends this process with its exit code. */
export function runStep(
  command,
  args,
  { cwd = rootFolder, env = process.env, quiet = false, mayFail = false } = {},
) {
  // npm and pnpm are .cmd files on Windows, which only a shell starts.
  const result = spawnSync(command, args, {
    cwd,
    env,
    stdio: quiet ? ["ignore", "pipe", "inherit"] : "inherit",
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === "win32",
  });
  if (result.error) throw result.error;
  if (result.status === 0 || mayFail) return;
  // What was not worth showing is, now.
  if (quiet) process.stderr.write(result.stdout);
  process.exit(result.status ?? 1);
}

/**
 * Becomes a command: its output is ours, signals that reach us reach it, its exit code is ours.
 * A synchronous spawn would swallow SIGTERM, and the daemon would outlive `npm start`.
 */
export function becomeProcess(
  command,
  args,
  { cwd = rootFolder, env = process.env } = {},
) {
  const child = spawn(command, args, {
    cwd,
    env,
    stdio: "inherit",
    shell: process.platform === "win32" && !isAbsolute(command),
  });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      // Ctrl+C in a terminal reached the child as well; a second one would mean "at once".
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    });
  }
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      process.exitCode = code ?? (signal ? 1 : 0);
      resolve(process.exitCode);
    });
  });
}
