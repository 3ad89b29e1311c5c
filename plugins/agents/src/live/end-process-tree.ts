import type { Clock } from "@gantry/plugin";
import { killSessionProcesses } from "@gantry/plugin/processes";
import { findTree, type ProcessIdentity } from "./process-identity.ts";

const GRACE_MS = 2_000;
const STEP_MS = 20;
/** What the system holds does not end. */
const MAX_KILLS = 5;

/**
 * Ends a process and its session that the daemon did not start as its child: hang-up and TERM, after 2 s KILL. Resolves
 * when nothing is left, or nothing that may be ended. Harmless if it is gone.
 */
export async function endProcessTree(
  identity: ProcessIdentity,
  clock: Pick<Clock, "sleep" | "monotonic">,
): Promise<void> {
  let left = await findTree(identity);
  for (const signal of ["SIGHUP", "SIGTERM", "SIGCONT"] as const)
    send(left, signal);
  const deadline = clock.monotonic() + GRACE_MS;
  while (left.length > 0 && clock.monotonic() < deadline) {
    await clock.sleep(STEP_MS);
    left = await findTree(identity);
  }
  for (let count = 0; left.length > 0 && count < MAX_KILLS; count += 1) {
    send(left, "SIGKILL");
    await killSessionProcesses(identity.pid);
    await clock.sleep(STEP_MS);
    left = await findTree(identity);
  }
}

function send(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, signal);
    } catch {
      // Gone already, or another user's.
    }
}
