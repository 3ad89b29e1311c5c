import type { Connections } from "./connections.ts";

/** Time in which clients have to read pending bytes before their connections are closed. */
const DRAIN_MS = 1_000;
const DRAIN_STEP_MS = 10;

/** Waits until all connections have ended, at most this long. Real time, since the clock of a test may stand still. */
export async function drain(connections: Connections): Promise<void> {
  const deadline = performance.now() + DRAIN_MS;
  while (connections.size > 0 && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, DRAIN_STEP_MS));
  }
}
