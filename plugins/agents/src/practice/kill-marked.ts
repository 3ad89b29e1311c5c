import { readdir, readFile } from "node:fs/promises";

/** Rounds in which a tree that goes on growing is killed. */
const ROUNDS = 10;

/** Kills a process and all whose environment has a variable with this value, until none is left. */
export async function killMarked(
  variable: string,
  value: string,
  root: number | undefined,
): Promise<void> {
  const needle = Buffer.from(`${variable}=${value}\0`);
  for (let round = 0; round < ROUNDS; round += 1) {
    const marked = await findMarked(needle);
    if (round === 0 && root !== undefined) marked.push(root);
    if (marked.length === 0) return;
    for (const pid of marked) kill(pid);
  }
}

async function findMarked(needle: Buffer): Promise<number[]> {
  const found: number[] = [];
  for (const name of await readdir("/proc").catch(() => [])) {
    if (!/^\d+$/.test(name)) continue;
    // Processes of others, and those that just ended, cannot be read.
    const environment = await readFile(`/proc/${name}/environ`).catch(
      () => undefined,
    );
    if (environment?.includes(needle)) found.push(Number(name));
  }
  return found;
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It is gone already.
  }
}
