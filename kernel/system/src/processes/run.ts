import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { randomBytes } from "node:crypto";
import { basename } from "node:path";
import type { Clock, ProcessResult, Run, RunOptions } from "@gantry/plugin";
import { within } from "../shutdown/deadline.ts";
import type { Deadline } from "../shutdown/deadline.ts";
import type { Children } from "./children.ts";
import type { DetachedPrograms } from "./detached-programs.ts";
import { createOutputBuffer } from "./output-buffer.ts";
import { findExecutable } from "./executable.ts";
import { DETACHED_VARIABLE, MARKER_VARIABLE } from "./markers.ts";
import type { Markers } from "./markers.ts";
import { notStarted } from "./program-user.ts";
import { createRunningProcess } from "./running-process.ts";
import type { OwnProcess } from "./running-process.ts";
import { startProgram } from "./start-program.ts";

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

/** Starts a program. */
type Start = (...program: Parameters<Run>) => ReturnType<Run>;

/** Makes the `run` of one plugin. @param signal Aborts when the plugin stops; nothing is started after that. */
export function createRun(
  host: RunHost,
  owner: string,
  signal: AbortSignal,
): Run & { endAll(deadline: Deadline): Promise<void> } {
  const running = new Set<OwnProcess>();

  const run: Start = async (file, args, options = {}) => {
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
    const started = {
      child: child as ChildProcessWithoutNullStreams,
      ...{ owner, token, since },
    };
    const handle = createRunningProcess(host, started, options);
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
    if (host.refusal !== undefined) throw notStarted(file, host.refusal);
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

  const detach: Run["detach"] = async (file, args, options = {}) => {
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
  };

  return Object.assign(run, {
    collect: (...program: Parameters<Run["collect"]>) =>
      collect(run, ...program),
    detach,
    find: (name: string) => findExecutable(name, host.environment.PATH ?? ""),
    endAll: async (deadline: Deadline) => {
      const left = deadline.left();
      await Promise.all([...running].map((child) => child.endWithin(left)));
    },
  });
}

/** Runs a program to its end and collects its output. */
async function collect(
  run: Start,
  ...[file, args, options = {}]: Parameters<Run["collect"]>
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
