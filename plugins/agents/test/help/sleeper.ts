import { spawn, type ChildProcess } from "node:child_process";
import { findSessionProcesses } from "@gantry/plugin-helpers/processes";
import { onTestFinished } from "vitest";
import { until } from "@gantry/agent-kit/testing";

/** An idle process that leads a session, as the first program of a terminal does. */
export interface Sleeper {
  pid: number;
  end(): Promise<void>;
}

/** Starts a program that waits until it is ended; by default one that ignores HUP and ends at TERM. */
export function startSleeper(
  line = "trap '' HUP; sleep 300 & wait",
  options: { isTests?: boolean } = {},
): Sleeper {
  const child = spawn("sh", ["-c", line], { stdio: "ignore", detached: true });
  const sleeper = { pid: child.pid ?? 0, end: () => endGroup(child) };
  if (options.isTests ?? true) onTestFinished(() => sleeper.end());
  return sleeper;
}

async function endGroup(child: ChildProcess): Promise<void> {
  const { pid = 0 } = child;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // Nothing of it is left.
  }
  await until(
    async () => (await findSessionProcesses(pid)).length === 0,
    "the program has ended",
  );
}
