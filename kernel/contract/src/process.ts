import type { Duplex, Readable, Writable } from "node:stream";

/** Purpose of a child process, such as `{ type: "agent", id: "agt_…" }`. */
export interface ProcessSubject {
  /** Kebab-case: `agent`, `terminal`, or a type of the plugin's own. */
  type: string;
  id: string;
}

/** Options for starting a child process. */
export interface RunOptions {
  /** Working directory; must exist. */
  cwd?: string;
  /**
   * Added to the daemon's environment, from which the daemon's own variables, and those that make a child run other code, are
   * removed first. `SHLVL` is at least 1, so that bash does not read the user's startup files. A value of `undefined`
   * removes a variable.
   */
  env?: Readonly<Record<string, string | undefined>>;
  /** Purpose of the process, shown to users. */
  subject?: ProcessSubject;
  /** Ends the process tree when the signal aborts. */
  signal?: AbortSignal;
  /** Ends the process tree after this many ms; without it there is no limit. */
  timeoutMs?: number;
  /** Number of additional pipes, at file descriptors 3, 4 and so on; at most 8, defaults to 0. */
  pipes?: number;
  /**
   * Name of the user to run the program as, without supplementary groups. Requires a daemon that runs as root. Of the daemon's
   * environment the program gets only `PATH`, `TZ` and the locale, and `HOME`, `USER` and `LOGNAME` are those of the user.
   * Naming the daemon's own user has no effect.
   */
  user?: string;
}

/** The exit status of a process. */
export interface ProcessExit {
  code: number | null;
  signal: string | null;
  /** Whether `timeoutMs` ended it. */
  timedOut: boolean;
}

/** A child process in its own process group. If the daemon crashes, its next start ends the process. */
export interface RunningProcess {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /**
   * The duplex pipes of {@link RunOptions.pipes}. Add listeners for data synchronously after `run` resolves; earlier data is
   * buffered. They end with the program.
   */
  readonly pipes: readonly Duplex[];
  /** Resolves when the process has ended. Never rejects. */
  readonly exited: Promise<ProcessExit>;
  /** Ends the process tree: closes stdin and the pipes, sends TERM to the group after 3 s, and KILL after 2 s more. */
  end(): Promise<ProcessExit>;
  /** Sends KILL to the process tree immediately. */
  kill(): Promise<ProcessExit>;
}

/** The result of {@link Run.collect}. */
export interface ProcessResult extends ProcessExit {
  stdout: string;
  stderr: string;
  /** Whether output beyond the limit was dropped. */
  truncated: boolean;
}

/** Starts child processes without a shell. Plugins have no other way to start one. */
export interface Run {
  /**
   * Starts a program. It ends when the plugin stops, at the latest.
   *
   * @param file Absolute path of the executable; see {@link Run.find}.
   * @throws `PROCESS_NOT_STARTED` (502) if the file is missing or not executable, the working directory is missing, or the
   *   user is unknown or cannot be switched to
   */
  (
    file: string,
    args: readonly string[],
    options?: RunOptions,
  ): Promise<RunningProcess>;
  /** Runs a program to its end and returns its output, up to `maxOutputBytes` for each stream (defaults to 256 KiB). */
  collect(
    file: string,
    args: readonly string[],
    options?: Omit<RunOptions, "pipes"> & {
      input?: string | Uint8Array;
      maxOutputBytes?: number;
    },
  ): Promise<ProcessResult>;
  /**
   * Starts a program that outlives the plugin and the daemon, without input and output. The daemon never ends it, so it must
   * exit by itself when it is no longer needed, and the plugin must find it again after a restart.
   *
   * @throws `PROCESS_NOT_STARTED` (502)
   */
  detach(
    file: string,
    args: readonly string[],
    options?: Pick<RunOptions, "cwd" | "env">,
  ): Promise<{ pid: number }>;
  /**
   * Finds the absolute path of a program on `PATH`; `undefined` if there is none. Relative and world-writable folders are
   * skipped, since any user of the machine could have put a program there.
   */
  find(name: string): Promise<string | undefined>;
}
