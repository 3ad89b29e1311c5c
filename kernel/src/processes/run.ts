import { spawn } from "node:child_process";
import type {
  ChildProcess,
  ChildProcessWithoutNullStreams,
} from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { basename, isAbsolute } from "node:path";
import { PassThrough } from "node:stream";
import type {
  Clock,
  ProcessExit,
  ProcessResult,
  Run,
  RunningProcess,
  RunOptions,
} from "@gantry/plugin";
import type { ProcessMoment } from "@gantry/plugin/processes";
import { workBegan } from "../context/work-context.ts";
import { errors } from "../errors.ts";
import type { Deadline } from "../shutdown/deadline.ts";
import type { Children } from "./children.ts";
import { createOutputBuffer } from "./output-buffer.ts";
import { findExecutable } from "./executable.ts";
import { endMarked, killGroup, MARKER_VARIABLE } from "./markers.ts";
import type { Markers } from "./markers.ts";

const STDIN_GRACE_MS = 3_000;
const TERM_GRACE_MS = 2_000;
/** Time that is kept for KILL when there is less for the end of a program than it gets otherwise. */
const KILL_RESERVE_MS = 500;
/** Time that output gets to arrive after the end of a program. */
const LAST_OUTPUT_MS = 1_000;
const DEFAULT_MAX_OUTPUT = 256 * 1024;

/** Dependencies of {@link createRun}. */
export interface RunHost {
  markers: Markers;
  /** Where each child is added, for the end of the daemon. */
  children: Children;
  clock: Clock;
  /** Environment that children start from. */
  environment: NodeJS.ProcessEnv;
}

/** A child, which can be given less time to end than a plugin gives it. */
interface OwnProcess extends RunningProcess {
  endWithin(ms: number): Promise<ProcessExit>;
}

/** Variables that would make a child run code of ours, or tell it what is ours alone. */
const NEVER_INHERITED =
  /^(NODE_OPTIONS|NODE_PATH|NODE_CHANNEL_FD|GANTRY_.*|npm_.*|LD_PRELOAD|BASH_ENV|ENV)$/;

/**
 * Makes the `run` of one plugin.
 *
 * @param signal Aborts when the plugin stops; nothing is started after that.
 */
export function createRun(
  host: RunHost,
  owner: string,
  signal: AbortSignal,
): Run & { endAll(deadline: Deadline): Promise<void> } {
  const running = new Set<OwnProcess>();

  const run = async (
    file: string,
    args: readonly string[],
    options: RunOptions = {},
  ): Promise<RunningProcess> => {
    signal.throwIfAborted();
    const token = randomBytes(12).toString("hex");
    // Written first: a daemon that dies right after the start must find the child again.
    await host.markers.write({ token, owner });
    const mark = { [MARKER_VARIABLE]: token };
    const since = host.children.moment();
    const child = await start(file, args, options, mark, "pipe").catch(
      async (error: unknown) => {
        await host.markers.remove(token);
        throw error;
      },
    );
    const handle = createRunningProcess(
      child as ChildProcessWithoutNullStreams,
      { token, since },
      options,
    );
    running.add(handle);
    host.children.add(handle);
    void handle.exited.then(() => running.delete(handle));
    if (!signal.aborted) return handle;
    // The plugin began to stop in the meantime and may have ended its children already.
    await handle.kill();
    throw signal.reason;
  };

  async function start(
    file: string,
    args: readonly string[],
    options: RunOptions,
    mark: Readonly<Record<string, string>>,
    stdio: "pipe" | "ignore",
  ): Promise<ChildProcess> {
    // A name alone would be looked for on PATH, in folders too that anybody can write to.
    if (!isAbsolute(file))
      throw errors.PROCESS_NOT_STARTED({
        name: basename(file),
        reason: "it is named without its folder",
      });
    const env: NodeJS.ProcessEnv = {};
    for (const [name, value] of Object.entries(host.environment))
      if (!NEVER_INHERITED.test(name)) env[name] = value;
    // A bash whose input is a socket, as Node's pipes are, takes itself for one that rshd started and reads the user's
    // start files, unless another shell is above it. They are for people: they may ask, print, or wait for a minute.
    env.SHLVL = String(Math.max(1, Number(env.SHLVL) || 0));
    Object.assign(env, options.env, mark);
    for (const name of Object.keys(env))
      if (env[name] === undefined) delete env[name];
    try {
      // A group of its own, so that a signal reaches the whole tree.
      const child = spawn(file, [...args], {
        cwd: options.cwd,
        env,
        detached: true,
        stdio,
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

  function createRunningProcess(
    child: ChildProcessWithoutNullStreams,
    { token, since }: { token: string; since: ProcessMoment | undefined },
    options: RunOptions,
  ): OwnProcess {
    const pid = child.pid ?? 0;
    let timedOut = false;
    let ending: Promise<ProcessExit> | undefined;
    // Node drops what nobody has read by the end of a process; a pipe of ours keeps it for whoever comes later.
    const stdout = child.stdout.pipe(new PassThrough());
    const stderr = child.stderr.pipe(new PassThrough());
    child.stdout.on("data", () => void workBegan.publish({ plugin: owner }));
    // Writing to a program that has ended is its matter, not a fault of ours.
    child.stdin.on("error", () => {});
    // The mark finds it; the number as well makes sure, and nobody need wait for that.
    const numbered = host.markers.write({ token, owner, pid }).catch(() => {});
    const left = once(child, "exit") as Promise<[number | null, string | null]>;

    async function sweep(): Promise<void> {
      killGroup(pid);
      await endMarked(token, [], since);
    }

    const exited = left.then(
      async ([code, exitSignal]): Promise<ProcessExit> => {
        cancelTimeout();
        options.signal?.removeEventListener("abort", onAbort);
        // The leader is gone; what it started goes too.
        await sweep();
        await numbered;
        await host.markers.remove(token);
        return { code, signal: exitSignal, timedOut };
      },
    );

    const within = (ms: number) =>
      new Promise<boolean>((resolve) => {
        const cancel = host.clock.after(ms, () => resolve(false));
        void left.then(() => {
          cancel();
          resolve(true);
        });
      });

    async function end(limitMs = Infinity): Promise<ProcessExit> {
      const grace = STDIN_GRACE_MS + TERM_GRACE_MS;
      const part =
        Math.min(grace, Math.max(0, limitMs - KILL_RESERVE_MS)) / grace;
      child.stdin.end();
      if (!(await within(STDIN_GRACE_MS * part))) {
        killGroup(pid, "SIGTERM");
        if (!(await within(TERM_GRACE_MS * part))) await sweep();
      }
      return exited;
    }

    async function kill(): Promise<ProcessExit> {
      await sweep();
      return exited;
    }

    const onAbort = () => void kill();
    options.signal?.addEventListener("abort", onAbort, { once: true });
    if (options.signal?.aborted) onAbort();
    const cancelTimeout =
      options.timeoutMs === undefined
        ? () => {}
        : host.clock.after(options.timeoutMs, () => {
            timedOut = true;
            void kill();
          });

    return {
      pid,
      stdin: child.stdin,
      stdout,
      stderr,
      exited,
      end: () => (ending ??= end()),
      endWithin: end,
      kill,
    };
  }

  async function collect(
    file: string,
    args: readonly string[],
    options: RunOptions & {
      input?: string | Uint8Array;
      maxOutputBytes?: number;
    } = {},
  ): Promise<ProcessResult> {
    const {
      input,
      maxOutputBytes = DEFAULT_MAX_OUTPUT,
      ...runOptions
    } = options;
    const child = await run(file, args, runOptions);
    const stdout = createOutputBuffer(child.stdout, maxOutputBytes);
    const stderr = createOutputBuffer(child.stderr, maxOutputBytes);
    child.stdin.end(input);
    const exit = await child.exited;
    // What got away from us may hold the pipes open for ever.
    await Promise.race([
      Promise.all([stdout.ended, stderr.ended]),
      new Promise((resolve) => setTimeout(resolve, LAST_OUTPUT_MS).unref()),
    ]);
    return {
      ...exit,
      stdout: stdout.text(),
      stderr: stderr.text(),
      truncated: stdout.truncated() || stderr.truncated(),
    };
  }

  async function detach(
    file: string,
    args: readonly string[],
    options: Pick<RunOptions, "cwd" | "env"> = {},
  ): Promise<{ pid: number }> {
    signal.throwIfAborted();
    const child = await start(file, args, options, {}, "ignore");
    child.unref();
    return { pid: child.pid ?? 0 };
  }

  return Object.assign(run, {
    collect,
    detach,
    find: (name: string) => findExecutable(name, host.environment.PATH ?? ""),
    endAll: async (deadline: Deadline) => {
      const left = deadline.left();
      await Promise.all([...running].map((child) => child.endWithin(left)));
    },
  });
}
