import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { basename, isAbsolute } from "node:path";
import type { RunOptions } from "@gantry/plugin";
import { errors } from "../errors.ts";

/** Variables that would make a child run code of ours, or tell it what is ours alone. */
const NEVER_INHERITED =
  /^(NODE_OPTIONS|NODE_PATH|NODE_CHANNEL_FD|GANTRY_.*|npm_.*|LD_PRELOAD|BASH_ENV|ENV)$/;

/** How {@link startProgram} starts one. */
export interface StartOptions extends Pick<RunOptions, "cwd" | "env"> {
  /** Environment that it starts from. */
  environment: NodeJS.ProcessEnv;
  /** Variables that stand above those that the plugin gives. */
  mark: Readonly<Record<string, string>>;
  stdio: "pipe" | "ignore";
}

/**
 * Starts a program in a process group of its own.
 *
 * @throws `PROCESS_NOT_STARTED` if it is not there or not executable, or the folder is not
 */
export async function startProgram(
  file: string,
  args: readonly string[],
  options: StartOptions,
): Promise<ChildProcess> {
  // A name alone would be looked for on PATH, in folders too that anybody can write to.
  if (!isAbsolute(file))
    throw errors.PROCESS_NOT_STARTED({
      name: basename(file),
      reason: "it is named without its folder",
    });
  try {
    // A group of its own, so that a signal reaches the whole tree.
    const child = spawn(file, [...args], {
      cwd: options.cwd,
      env: environmentOf(options),
      detached: true,
      stdio: options.stdio,
      windowsHide: true,
    });
    await once(child, "spawn");
    return child;
  } catch (cause) {
    const reason =
      (cause as { code?: string }).code === "EACCES"
        ? "it may not be executed"
        : "it or its folder is not there";
    throw errors.PROCESS_NOT_STARTED(
      { name: basename(file), reason },
      { cause },
    );
  }
}

function environmentOf({
  environment,
  env: added,
  mark,
}: StartOptions): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(environment))
    if (!NEVER_INHERITED.test(name)) env[name] = value;
  // A bash whose input is a socket, as Node's pipes are, takes itself for one that rshd started and reads the user's
  // start files, unless another shell is above it. They are for people: they may ask, print, or wait for a minute.
  env.SHLVL = String(Math.max(1, Number(env.SHLVL) || 0));
  Object.assign(env, added, mark);
  for (const name of Object.keys(env))
    if (env[name] === undefined) delete env[name];
  return env;
}
