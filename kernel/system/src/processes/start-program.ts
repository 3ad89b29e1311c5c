import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { isAbsolute } from "node:path";
import type { Duplex } from "node:stream";
import type { RunOptions } from "@gantry/plugin";
import {
  findOtherUser,
  notStarted,
  toUserEnvironment,
} from "./program-user.ts";
import type { ProgramUser } from "./program-user.ts";

/** Input, output and errors. */
const STANDARD_STREAMS = 3;
const MAX_PIPES = 8;

/** Meaning of the system's error codes, as the end of a sentence. */
const NOT_STARTED_REASONS: Readonly<Record<string, string>> = {
  EACCES: "it may not be executed",
  EINVAL: "its user has no id on this system",
  EPERM: "the daemon may not switch to its user",
};

/** Variables that would make a child run code of ours, or that are private to the daemon. */
const NEVER_INHERITED =
  /^(NODE_OPTIONS|NODE_PATH|NODE_CHANNEL_FD|GANTRY_.*|npm_.*|LD_PRELOAD|BASH_ENV|ENV)$/;

/** Options of {@link startProgram}. */
export interface StartOptions extends Pick<
  RunOptions,
  "cwd" | "env" | "pipes" | "user"
> {
  /** Base environment of the program. */
  environment: NodeJS.ProcessEnv;
  /** Variables that override those of the plugin. */
  mark: Readonly<Record<string, string>>;
  stdio: "pipe" | "ignore";
}

/**
 * Starts a program in a process group of its own.
 *
 * @throws `PROCESS_NOT_STARTED` if the program or folder does not exist, the program is not executable, or it cannot
 * run as the user
 */
export async function startProgram(
  file: string,
  args: readonly string[],
  options: StartOptions,
): Promise<ChildProcess> {
  // A bare name would be searched on PATH, including folders that other users can write to.
  if (!isAbsolute(file))
    throw notStarted(file, "it is named without its folder");
  const { pipes = 0 } = options;
  if (!Number.isInteger(pipes) || pipes < 0 || pipes > MAX_PIPES)
    throw new TypeError(`A program has 0 to ${MAX_PIPES} pipes, not ${pipes}.`);
  const user = await findOtherUser(options.user, file);
  try {
    const { stdio } = options;
    // A group of its own, so that a signal reaches the whole tree.
    const child = spawn(file, [...args], {
      cwd: options.cwd,
      env: environmentOf(options, user),
      detached: true,
      stdio: [stdio, stdio, stdio, ...Array<"pipe">(pipes).fill("pipe")],
      windowsHide: true,
      // The system drops root's groups along with the user.
      ...(user && { uid: user.uid, gid: user.gid }),
    });
    await once(child, "spawn");
    return child;
  } catch (cause) {
    const { code = "" } = cause as { code?: string };
    const reason = NOT_STARTED_REASONS[code] ?? "it or its folder is not there";
    throw notStarted(file, reason, cause);
  }
}

/** The pipes of the three standard streams. */
export function pipesOf(child: ChildProcess): Duplex[] {
  return child.stdio.slice(STANDARD_STREAMS) as unknown[] as Duplex[];
}

function environmentOf(
  { environment, env: added, mark }: StartOptions,
  user: ProgramUser | undefined,
): NodeJS.ProcessEnv {
  const inherited = user ? toUserEnvironment(environment, user) : environment;
  const env: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(inherited))
    if (!NEVER_INHERITED.test(name)) env[name] = value;
  // A bash whose input is a socket, as Node's pipes are, assumes that rshd started it and reads the user's start files,
  // unless it runs below another shell. Those files are for interactive use: they may ask, print, or wait for a minute.
  env.SHLVL = String(Math.max(1, Number(env.SHLVL) || 0));
  Object.assign(env, added, mark);
  for (const name of Object.keys(env))
    if (env[name] === undefined) delete env[name];
  return env;
}
