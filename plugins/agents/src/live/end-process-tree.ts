import type { Clock } from "@gantry/plugin";
import { killSessionProcesses } from "@gantry/plugin-helpers/processes";
import { findTree, type ProcessIdentity } from "./process-identity.ts";

const GRACE_MS = 2_000;
const POLL_MS = 20;
/** Limit for processes that ignore KILL because they are blocked in the kernel. */
const MAX_KILLS = 5;

/**
 * Ends a process that is not a child of the daemon, and its session: HUP and TERM, after 2 s KILL. Resolves when all are
 * gone, except processes that the daemon may not or cannot end. Does nothing if the process is gone.
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
    await clock.sleep(POLL_MS);
    left = await findTree(identity);
  }
  for (let count = 0; left.length > 0 && count < MAX_KILLS; count += 1) {
    send(left, "SIGKILL");
    await killSessionProcesses(identity.pid);
    await clock.sleep(POLL_MS);
    left = await findTree(identity);
  }
}

function send(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, signal);
    } catch {
      // Gone already, or owned by another user.
    }
}
