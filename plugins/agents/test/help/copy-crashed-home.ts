import { rmSync } from "node:fs";
import { join } from "node:path";
import { copyCrashedHome as copyHome } from "@gantry/plugin-testing";

/** Copies what a kill of a daemon would leave at this moment, without locks. */
export function copyCrashedHome(from: string, to: string): void {
  copyHome(from, to);
  // The process that holds them is this one, and lives on.
  rmSync(join(to, "data", "agents", "locks"), { recursive: true, force: true });
}
