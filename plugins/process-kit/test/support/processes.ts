import { readProcessStat } from "@gantry/plugin/processes";
import { vi } from "vitest";

export const SHELL = "/bin/sh";

/** Whether a process is there and is not only waiting to be reaped. */
export async function isRunning(pid: number): Promise<boolean> {
  const [state = "X"] = (await readProcessStat(pid, [3])) ?? [];
  return state !== "Z" && state !== "X";
}

/** Waits until all of these processes are gone. */
export async function allGone(pids: readonly number[]): Promise<void> {
  await vi.waitFor(async () => {
    const left = (await Promise.all(pids.map(isRunning))).filter(Boolean);
    if (left.length > 0)
      throw new Error(`${left.length} of ${pids.join()} still run.`);
  });
}

/** Reads numbers, one a line, until there are `count`. */
export async function readPids(
  stream: NodeJS.ReadableStream,
  count: number,
): Promise<number[]> {
  let text = "";
  for await (const chunk of stream) {
    text += String(chunk);
    const lines = text.split("\n").slice(0, -1);
    if (lines.length >= count) return lines.map(Number);
  }
  throw new Error(`It ended after: ${text}`);
}
