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

/** Starts a Node program; it is ended with what disposes it. */
export function startNode(args: readonly string[]): MeasuredProcess {
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_ENV: "production" },
  });
  const exited = once(child, "exit");
  let log = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (log += text));
  return {
    child,
    pid: child.pid ?? 0,
    log: () => log,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null)
        child.kill("SIGTERM");
      await exited;
    },
  };
}

/** A process and all that it started, and what they started. */
async function listTree(root: number): Promise<number[]> {
  const parents = new Map<number, number>();
  for (const name of await readdir("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readStat(Number(name));
    if (stat) parents.set(Number(name), Number(stat[1]));
  }
  const tree = new Set([root]);
  for (let size = 0; size !== tree.size;) {
    size = tree.size;
    for (const [pid, parent] of parents) if (tree.has(parent)) tree.add(pid);
  }
  return [...tree];
}

/** The fields of /proc/<pid>/stat from the state on, `undefined` if the process is gone. */
async function readStat(pid: number): Promise<string[] | undefined> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(
    () => undefined,
  );
  // The name stands in brackets and may hold anything.
  return text?.slice(text.lastIndexOf(")") + 2).split(" ");
}

/** Resident memory of a process and its children, in bytes. */
export async function readMemory(pid: number): Promise<number> {
  let sum = 0;
  for (const one of await listTree(pid)) {
    const status = await readFile(`/proc/${one}/status`, "utf8").catch(
      () => "",
    );
    sum += Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
  }
  return sum;
}

const TICKS_PER_SECOND = 100;

/** Processor time that a process and its children have used, in ms. */
export async function readCpu(pid: number): Promise<number> {
  let ticks = 0;
  for (const one of await listTree(pid)) {
    const stat = await readStat(one);
    ticks += Number(stat?.[11] ?? 0) + Number(stat?.[12] ?? 0);
  }
  return (ticks / TICKS_PER_SECOND) * 1000;
}
