import { rmSync } from "node:fs";
import { join } from "node:path";
import { copyCrashedHome as copyHome } from "@gantry/plugin-testing";

/** Copies a home as a kill of its daemon would leave it at this moment, without locks. */
export function copyCrashedHome(from: string, to: string): void {
  copyHome(from, to);
  // Locks are left out, since the process that holds them is this one, which stays alive.
  rmSync(join(to, "data", "agents", "locks"), { recursive: true, force: true });
}
