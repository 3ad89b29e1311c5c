import type { Run } from "@gantry/plugin";
import type { ListeningPort } from "./listening-port.ts";
import { readLsofPorts } from "./read-lsof-ports.ts";
import { readProcPorts } from "./read-proc-ports.ts";

/** Reads the ports that programs of this machine listen on. `undefined` on a system that does not tell. */
export async function readPorts(
  run: Run,
  signal: AbortSignal,
): Promise<ListeningPort[] | undefined> {
  return (await readProcPorts()) ?? (await readLsofPorts(run, signal));
}
