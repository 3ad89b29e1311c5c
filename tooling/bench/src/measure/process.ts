import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";

/** A process that is measured. */
export interface MeasuredProcess extends AsyncDisposable {
  readonly pid: number;
  readonly child: ChildProcess;
  /** What it wrote to its error output. */
  log(): string;
}

/** The daemon ends within ten seconds of SIGTERM; one that has not by then never will. */
const STOP_LIMIT_MS = 12_000;

/** Starts a Node program; it is ended with what disposes it, or when the signal aborts. */
export function startNode(
  args: readonly string[],
  signal: AbortSignal,
): MeasuredProcess {
  signal.throwIfAborted();
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_ENV: "production" },
  });
  const exited = once(child, "exit");
  const stop = () => void child.kill("SIGTERM");
  signal.addEventListener("abort", stop);
  let log = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (log += text));
  return {
    child,
    pid: child.pid ?? 0,
    log: () => log,
    async [Symbol.asyncDispose]() {
      signal.removeEventListener("abort", stop);
      stop();
      const late = setTimeout(() => child.kill("SIGKILL"), STOP_LIMIT_MS);
      await exited;
      clearTimeout(late);
    },
  };
}

/** A process and all that it started, and what they started. */
async function listTree(root: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const text = await readText(`/proc/${name}/stat`);
    // The name stands in brackets and may hold anything; behind it come the state and the parent.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    if (text !== "") parents.set(Number(name), Number(fields[1]));
  }
  const tree = new Set([root]);
  for (let size = 0; size !== tree.size;) {
    size = tree.size;
    for (const [pid, parent] of parents) if (tree.has(parent)) tree.add(pid);
  }
  return [...tree];
}

/** The text of a file, nothing if it is gone. */
function readText(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
}

/** Resident memory of a process and its children, in bytes. */
export async function readMemory(pid: number): Promise<number> {
  let sum = 0;
  for (const one of await listTree(pid)) {
    const status = await readText(`/proc/${one}/status`);
    sum += Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
  }
  return sum;
}

/** Memory of a process and its children, where what several share counts for each in part (PSS), in bytes. */
export async function readOwnMemory(pid: number): Promise<number> {
  let sum = 0;
  for (const one of await listTree(pid)) {
    const rollup = await readText(`/proc/${one}/smaps_rollup`);
    sum += Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) * 1024;
  }
  return sum;
}

/**
 * Processor time that a process and its children have used, in ms. It is added up from their threads, to the nanosecond:
 * what wakes up for a moment is seldom met by a clock that ticks a hundred times a second.
 */
export async function readCpu(pid: number): Promise<number> {
  let nanoseconds = 0;
  for (const one of await listTree(pid)) {
    const threads = await readdir(`/proc/${one}/task`).catch(() => []);
    for (const thread of threads) {
      const text = await readText(`/proc/${one}/task/${thread}/schedstat`);
      nanoseconds += Number(text.split(" ", 1)[0]);
    }
  }
  return nanoseconds / 1e6;
}
