import type { Duplex, Readable, Writable } from "node:stream";

/** What a program is run for, such as `{ type: "agent", id: "agt_…" }`. */
export interface ProcessSubject {
  /** Kebab-case: `agent`, `terminal`, or a plugin's own word. */
  type: string;
  /** Id of the record, such as `agt_…`. */
  id: string;
}

/** How to start a child process. */
export interface RunOptions {
  /** Folder to run in; must exist. */
  cwd?: string;
  /**
   * Added to the daemon's environment. Variables of the daemon's own, and those that would make a child run other code, are
   * removed from it first; `SHLVL` is at least 1, so that bash does not read the user's start files. A value of
   * `undefined` removes a variable.
   */
  env?: Readonly<Record<string, string | undefined>>;
  /** What it is run for, so that people can be shown that. */
  subject?: ProcessSubject;
  /**
   * Whether it runs programs of others, as an agent's CLI runs servers and the host of terminals runs shells. When people
   * end one of those, it continues. `false` unless said.
   */
  isHost?: boolean;
  /** Ends the process tree when it aborts. */
  signal?: AbortSignal;
  /** Time after which the process tree is ended; no limit by default. */
  timeoutMs?: number;
  /** Number of additional pipes, at file descriptors 3, 4 and so on; at most 8, none by default. A TypeError for any other. */
  pipes?: number;
  /**
   * Name of the user to run the program as, without supplementary groups. Requires a daemon that runs as root. Of the
   * daemon's environment the program gets only `PATH`, `TZ` and the locale, and `HOME`, `USER` and `LOGNAME` are those
   * of the user. Naming the daemon's own user has no effect.
   */
  user?: string;
}

/** How a process ended. */
export interface ProcessExit {
  /** Exit code; `null` if a signal ended it. */
  code: number | null;
  /** Such as `SIGTERM`; `null` if it ended by itself. */
  signal: string | null;
  /** True if `timeoutMs` ended it. */
  timedOut: boolean;
}

/** A child process in a process group of its own. A leftover of a crashed daemon is ended at the next start. */
export interface RunningProcess {
  /** Its process id, which is also the id of its group. */
  readonly pid: number;
  /** Closed by {@link RunningProcess.end}. A write after the program has ended is dropped. */
  readonly stdin: Writable;
  /** Bytes. Read or `resume` it: a program whose pipe is full waits. */
  readonly stdout: Readable;
  /** Bytes. Read or `resume` it, as for stdout. */
  readonly stderr: Readable;
  /**
   * The duplex pipes of {@link RunOptions.pipes}. They buffer until a listener reads their data, and end with the
   * program. Their `error` events need no handler: listen to `close`.
   */
  readonly pipes: readonly Duplex[];
  /** Resolves when it has ended; rejects never. */
  readonly exited: Promise<ProcessExit>;
  /** Ends the whole tree: closes stdin and the pipes, after 3 s TERM to the group, after 2 s more KILL. Twice is harmless. */
  end(): Promise<ProcessExit>;
  /** KILL to the whole tree at once. */
  kill(): Promise<ProcessExit>;
}

/** What {@link Run.collect} gives back. */
export interface ProcessResult extends ProcessExit {
  /** Decoded by the `encoding` option, as UTF-8 unless said. */
  stdout: string;
  /** Decoded as UTF-8. */
  stderr: string;
  /** True if output over the cap was dropped. */
  truncated: boolean;
}

/** Starts child processes. There is no shell in between, and no other way to start one. */
export interface Run {
  /**
   * Starts a program and hands over its pipes. It ends with the plugin at the latest.
   *
   * @param file Absolute path of the executable; find one with {@link Run.find}.
   * @throws `PROCESS_NOT_STARTED` (502) if it is not there or not executable, the folder is not there, or the user is
   *   unknown or cannot be switched to
   */
  (
    file: string,
    args: readonly string[],
    options?: RunOptions,
  ): Promise<RunningProcess>;
  /** Runs a program to its end and gives its output, each stream cut at `maxOutputBytes` (256 KiB unless said). */
  collect(
    file: string,
    args: readonly string[],
    options?: Omit<RunOptions, "pipes"> & {
      input?: string | Uint8Array;
      maxOutputBytes?: number;
      /** Of stdout; `latin1` gives each byte as one character. UTF-8 unless said. */
      encoding?: "utf8" | "latin1";
    },
  ): Promise<ProcessResult>;
  /**
   * Starts a program that is to outlive the plugin and the daemon, with nothing for input and output. The daemon
   * never ends it, so it must notice when it is no longer wanted, and the plugin must find it again at its next start. A host passes
   * `GANTRY_DETACHED_TREE` of its environment to what it starts, so that those are known as its processes wherever they go.
   *
   * @throws `PROCESS_NOT_STARTED` (502) as for any other.
   */
  detach(
    file: string,
    args: readonly string[],
    options?: Pick<RunOptions, "cwd" | "env" | "isHost">,
  ): Promise<{ pid: number }>;
  /**
   * Absolute path of a program on PATH, `undefined` if there is none. Relative and world-writable folders of PATH are
   * passed over, since anyone could have put a program there.
   */
  find(name: string): Promise<string | undefined>;
}
