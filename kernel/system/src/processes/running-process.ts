import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import type {
  Clock,
  ProcessExit,
  RunningProcess,
  RunOptions,
} from "@gantry/plugin";
import type { ProcessMoment } from "@gantry/plugin/processes";
import { announceData } from "../context/announce-data.ts";
import { workBegan } from "../context/work-context.ts";
import { endMarked, killGroup } from "./markers.ts";
import type { Markers } from "./markers.ts";
import { pipesOf } from "./start-program.ts";

const STDIN_GRACE_MS = 3_000;
const TERM_GRACE_MS = 2_000;
/** Time that is kept for KILL when there is less for the end of a program than it gets otherwise. */
const KILL_RESERVE_MS = 500;

/** A child, which can be given less time to end than a plugin gives it. */
export interface OwnProcess extends RunningProcess {
  endWithin(ms: number): Promise<ProcessExit>;
}

/** What is known of a child that was started just now. */
interface Started {
  child: ChildProcessWithoutNullStreams;
  owner: string;
  /** Marks its whole tree. */
  token: string;
  /** A moment before its start. */
  since: ProcessMoment | undefined;
}

/** Follows a child to its end, and ends it with all that it started. */
export function createRunningProcess(
  { markers, clock }: { markers: Markers; clock: Clock },
  { child, owner, token, since }: Started,
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
  const numbered = markers.write({ token, owner, pid }).catch(() => {});
  const left = once(child, "exit") as Promise<[number | null, string | null]>;

  async function sweep(): Promise<void> {
    killGroup(pid);
    await endMarked(token, [], since);
  }

  const exited = left.then(async ([code, exitSignal]): Promise<ProcessExit> => {
    cancelTimeout();
    options.signal?.removeEventListener("abort", onAbort);
    // The leader is gone; what it started goes too.
    await sweep();
    await numbered;
    await markers.remove(token);
    return { code, signal: exitSignal, timedOut };
  });

  async function end(limitMs = Infinity): Promise<ProcessExit> {
    const grace = STDIN_GRACE_MS + TERM_GRACE_MS;
    const part =
      Math.min(grace, Math.max(0, limitMs - KILL_RESERVE_MS)) / grace;
    child.stdin.end();
    for (const pipe of pipes) pipe.end();
    if (!(await hasEnded(left, clock, STDIN_GRACE_MS * part))) {
      killGroup(pid, "SIGTERM");
      if (!(await hasEnded(left, clock, TERM_GRACE_MS * part))) await sweep();
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
      : clock.after(options.timeoutMs, () => {
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

/** Whether a program ends within this time. */
function hasEnded(
  left: Promise<unknown>,
  clock: Clock,
  ms: number,
): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => resolve(false));
    void left.then(() => {
      cancel();
      resolve(true);
    });
  });
}
