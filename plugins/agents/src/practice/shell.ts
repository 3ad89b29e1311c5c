import { spawn } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";

/** How a command ended. */
export interface CommandEnd {
  output: string;
  exitCode: number | null;
}

const MAX_OUTPUT = 64 * 1024;

/** Runs a shell command, in the process group of the agent so that whoever ends the agent ends it too. */
export async function runCommand(
  command: string,
  {
    cwd,
    signal,
    onOutput,
  }: { cwd: string; signal: AbortSignal; onOutput: (soFar: string) => void },
): Promise<CommandEnd> {
  const child = spawn(command, {
    cwd,
    shell: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const take = (chunk: Buffer) => {
    if (output.length >= MAX_OUTPUT) return;
    output = (output + chunk.toString("utf8")).slice(0, MAX_OUTPUT);
    onOutput(output);
  };
  child.stdout.on("data", take);
  child.stderr.on("data", take);
  const onAbort = () => void killTree(child.pid);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await new Promise((resolve) => {
      child.once("error", (error) =>
        resolve({ output: error.message, exitCode: null }),
      );
      child.once("close", (exitCode) => resolve({ output, exitCode }));
    });
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

/** Kills a process and everything that it started, children first seen again until none is left. */
export async function killTree(root: number | undefined): Promise<void> {
  if (root === undefined) return;
  for (let round = 0; round < 10; round += 1) {
    const tree = [root, ...(await descendantsOf(root))];
    // The root goes last: its children would otherwise belong to nobody and not be found again.
    const alive = tree.reverse().filter(kill);
    if (alive.length === 0) return;
  }
}

function kill(pid: number): boolean {
  try {
    process.kill(pid, "SIGKILL");
    return true;
  } catch {
    return false;
  }
}

async function descendantsOf(root: number): Promise<number[]> {
  const children = new Map<number, number[]>();
  for (const name of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/.test(name)) continue;
    const stat = await readFile(`/proc/${name}/stat`, "utf8").catch(
      () => undefined,
    );
    // The name of the program stands in parentheses and may hold anything; the parent is the second field after it.
    const parent = Number(stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
    children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
  }
  const found: number[] = [];
  const queue = [root];
  for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
    for (const child of children.get(pid) ?? []) {
      found.push(child);
      queue.push(child);
    }
  }
  return found;
}
