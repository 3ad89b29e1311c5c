import type { Run } from "@gantry/plugin";
import type { ListeningPort } from "./listening-port.ts";

const MAX_MS = 4_000;
const MAX_OUTPUT_BYTES = 4 * 1024 * 1024;

/** Reads the ports with `lsof`, which macOS brings. `undefined` where there is none. */
export async function readLsofPorts(
  run: Run,
  signal: AbortSignal,
): Promise<ListeningPort[] | undefined> {
  const file = await run.find("lsof");
  if (file === undefined) return undefined;
  const { stdout } = await run.collect(
    file,
    ["-nP", "-iTCP", "-sTCP:LISTEN", "-Fpcn"],
    { signal, timeoutMs: MAX_MS, maxOutputBytes: MAX_OUTPUT_BYTES },
  );
  return parseLsof(stdout);
}

/** Reads what `lsof -Fpcn` prints: a line for each field, which begins with the letter of the field. */
export function parseLsof(text: string): ListeningPort[] {
  const ports = new Map<string, ListeningPort>();
  let pid: number | undefined;
  let program: string | undefined;
  for (const line of text.split("\n")) {
    const value = line.slice(1);
    if (line.startsWith("p")) {
      pid = Number(value);
      program = undefined;
    } else if (line.startsWith("c")) program = value;
    else if (line.startsWith("n")) {
      const at = value.lastIndexOf(":");
      const port = Number(value.slice(at + 1));
      if (at < 0 || !Number.isInteger(port)) continue;
      const host = value.slice(0, at).replace(/^\[|\]$/g, "");
      const address = host === "*" ? "0.0.0.0" : host;
      // A process that has several descriptors of a socket has a line for each.
      ports.set(`${pid} ${address} ${port}`, { port, address, pid, program });
    }
  }
  return [...ports.values()];
}
