import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { basename } from "node:path";
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
import { errors } from "../errors.ts";
import { announceData } from "../context/announce-data.ts";
import { workBegan } from "../context/work-context.ts";
import { within } from "../shutdown/deadline.ts";
import type { Deadline } from "../shutdown/deadline.ts";
import type { Children } from "./children.ts";
import type { DetachedPrograms } from "./detached-programs.ts";
import { createOutputBuffer } from "./output-buffer.ts";
import { findExecutable } from "./executable.ts";
import {
  DETACHED_VARIABLE,
  endMarked,
  killGroup,
  MARKER_VARIABLE,
} from "./markers.ts";
import type { Markers } from "./markers.ts";
import { pipesOf, startProgram } from "./start-program.ts";

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
  /** Where those are written down that outlive the daemon. */
  detached: DetachedPrograms;
  clock: Clock;
  /** Environment that children start from. */
  environment: NodeJS.ProcessEnv;
  /** Why none is started, as the end of a sentence; they are started unless given. */
  refusal?: string;
}

/** Names the tree of one program permanently. */
const createToken = () => randomBytes(12).toString("hex");

/** A child, which can be given less time to end than a plugin gives it. */
interface OwnProcess extends RunningProcess {
  endWithin(ms: number): Promise<ProcessExit>;
}

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
    checkAllowed(file);
    const token = createToken();
    // Written first: a daemon that dies right after the start must find the child again.
    await host.markers.write({ token, owner });
    const mark = { [MARKER_VARIABLE]: token };
    const since = host.children.moment();
    const child = await startProgram(file, args, {
      ...options,
      environment: host.environment,
      mark,
      stdio: "pipe",
    }).catch(async (error: unknown) => {
      await host.markers.remove(token);
      throw error;
    });
    const handle = createRunningProcess(
      child as ChildProcessWithoutNullStreams,
      { token, since },
      options,
    );
    running.add(handle);
    host.children.add(handle, { ...describe(file, options), mark: token });
    void handle.exited.then(() => running.delete(handle));
    if (!signal.aborted) return handle;
    // The plugin began to stop in the meantime and may have ended its children already.
    await handle.kill();
    throw signal.reason;
  };

  function checkAllowed(file: string): void {
    signal.throwIfAborted();
    if (host.refusal !== undefined)
      throw errors.PROCESS_NOT_STARTED({
        name: basename(file),
        reason: host.refusal,
      });
  }

  const describe = (
    file: string,
    { cwd, subject, isHost }: Pick<RunOptions, "cwd" | "subject" | "isHost">,
  ) => ({
    plugin: owner,
    program: basename(file),
    cwd: cwd ?? process.cwd(),
    subject: subject ?? null,
    isHost: isHost ?? false,
    startedAt: host.clock.timestamp(),
  });

  function createRunningProcess(
    child: ChildProcessWithoutNullStreams,
    { token, since }: { token: string; since: ProcessMoment | undefined },
    options: RunOptions,
  ): OwnProcess {
    const pid = child.pid ?? 0;
    let timedOut = false;
    let ending: Promise<ProcessExit> | undefined;
    // Node drops what was not read by the end of a process; a pipe of ours keeps it for a later reader.
    const stdout = child.stdout.pipe(new PassThrough());
    const stderr = child.stderr.pipe(new PassThrough());
    child.stdout.on("data", () => void workBegan.publish({ plugin: owner }));
    // Writing to a program that has ended is its matter, not a fault of ours.
    child.stdin.on("error", () => {});
    const pipes = pipesOf(child);
    for (const pipe of pipes) announceData(pipe, owner);
    // The mark finds it; the number as well makes sure, and no caller need wait for that.
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

    const hasEndedWithin = (ms: number) =>
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
      for (const pipe of pipes) pipe.end();
      if (!(await hasEndedWithin(STDIN_GRACE_MS * part))) {
        killGroup(pid, "SIGTERM");
        if (!(await hasEndedWithin(TERM_GRACE_MS * part))) await sweep();
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
      pipes,
      exited,
      end: () => (ending ??= end()),
      endWithin: end,
      kill,
    };
  }

  async function collect(
    file: string,
    args: readonly string[],
    options: Omit<RunOptions, "pipes"> & {
      input?: string | Uint8Array;
      maxOutputBytes?: number;
      encoding?: "utf8" | "latin1";
    } = {},
  ): Promise<ProcessResult> {
    const {
      input,
      maxOutputBytes = DEFAULT_MAX_OUTPUT,
      encoding,
      ...runOptions
    } = options;
    const child = await run(file, args, runOptions);
    const stdout = createOutputBuffer(child.stdout, maxOutputBytes);
    const stderr = createOutputBuffer(child.stderr, maxOutputBytes);
    child.stdin.end(input);
    const exit = await child.exited;
    // What got away from us may hold the pipes open for ever.
    const ended = Promise.all([stdout.ended, stderr.ended]);
    await within(ended, { ms: LAST_OUTPUT_MS }).catch(() => {});
    return {
      ...exit,
      stdout: stdout.text(encoding),
      stderr: stderr.text(),
      truncated: stdout.truncated() || stderr.truncated(),
    };
  }

  async function detach(
    file: string,
    args: readonly string[],
    options: Pick<RunOptions, "cwd" | "env" | "isHost"> = {},
  ): Promise<{ pid: number }> {
    checkAllowed(file);
    const mark = options.isHost ? createToken() : undefined;
    const child = await startProgram(file, args, {
      ...options,
      environment: host.environment,
      mark: mark === undefined ? {} : { [DETACHED_VARIABLE]: mark },
      stdio: "ignore",
    });
    child.unref();
    const pid = child.pid ?? 0;
    // A full disk must not cost the program: it is only not listed then.
    await host.detached
      .add({ ...describe(file, options), pid, mark })
      .catch(() => {});
    return { pid };
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
