import { readFileSync, realpathSync } from "node:fs";
import { delimiter, sep } from "node:path";

/** Ancestors that are looked at: a package manager, the shell that it starts scripts with, wrappers. */
const MAX_ANCESTORS = 8;
/** Set by every package manager for the scripts that it runs. */
const SCRIPT_VARIABLE = "npm_lifecycle_event";

/**
 * The environment of the shell that this was started from, without what npm or another package manager has added for its
 * script. It is read from the package manager's process where the system allows it; elsewhere what npm adds is taken out.
 *
 * @param {NodeJS.ProcessEnv} env Of this process.
 * @param {number} [parent] Process id of its parent.
 * @returns {NodeJS.ProcessEnv}
 */
export function readUserEnvironment(env, parent = process.ppid) {
  if (env[SCRIPT_VARIABLE] === undefined) return withoutScript(env);
  for (
    let pid = parent, left = MAX_ANCESTORS;
    pid > 1 && left > 0;
    pid = parentOf(pid), left -= 1
  ) {
    const found = readEnvironment(pid);
    if (!found) break;
    // What is between the package manager and this has the variables of the script.
    if (found[SCRIPT_VARIABLE] === undefined)
      return isRunBy(pid, env.npm_node_execpath) ? found : withoutScript(env);
  }
  return withoutScript(env);
}

/**
 * Describes how to get from one environment back to another: a JSON object with the former values of what differs, `null` for
 * variables that were not there.
 *
 * @param {NodeJS.ProcessEnv} before
 * @param {NodeJS.ProcessEnv} after
 */
export function describeChanges(before, after) {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return JSON.stringify(
    Object.fromEntries(
      [...names]
        .filter((name) => before[name] !== after[name])
        .map((name) => [name, before[name] ?? null]),
    ),
  );
}

/** An environment without what npm adds for a script. */
function withoutScript(env) {
  const own = /^(npm_.*|INIT_CWD|NODE)$/;
  const result = Object.fromEntries(
    Object.entries(env).filter(([name]) => !own.test(name)),
  );
  result.PATH = (env.PATH ?? "")
    .split(delimiter)
    .filter((folder) => !isFolderOfScripts(folder))
    .join(delimiter);
  return result;
}

/** Whether a folder of PATH is one that npm puts before the user's. */
function isFolderOfScripts(folder) {
  return (
    folder.endsWith(`${sep}node_modules${sep}.bin`) ||
    folder.endsWith(`${sep}node-gyp-bin`)
  );
}

function readEnvironment(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/environ`, "utf8");
    return Object.fromEntries(
      text
        .split("\0")
        .filter((line) => line.includes("="))
        .map((line) => {
          const at = line.indexOf("=");
          return [line.slice(0, at), line.slice(at + 1)];
        }),
    );
  } catch {
    return undefined;
  }
}

/** Whether a process runs this program, such as the Node of the package manager. */
function isRunBy(pid, program) {
  try {
    return (
      program !== undefined &&
      realpathSync(`/proc/${pid}/exe`) === realpathSync(program)
    );
  } catch {
    return false;
  }
}

function parentOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program may hold spaces and brackets.
    return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return 0;
  }
}
