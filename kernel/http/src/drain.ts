import type { Connections } from "./connections.ts";

/** Time that clients get to take what was sent to them, before their connections are cut. */
const DRAIN_MS = 1_000;
const DRAIN_STEP_MS = 10;

/** Waits until what is open has gone out, or for so long. Real time: a stop must not hang on a clock that stands. */
export async function drain(connections: Connections): Promise<void> {
  const deadline = performance.now() + DRAIN_MS;
  while (connections.size > 0 && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, DRAIN_STEP_MS));
  }
}
