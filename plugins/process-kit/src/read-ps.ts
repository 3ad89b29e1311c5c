// eslint-disable-next-line gantry/no-child-process -- started through ctx.run, `ps` would be a program of the plugin itself
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { ProcessTable, SystemProcess } from "./process-table.ts";

const COLUMNS = "pid=,ppid=,pgid=,stat=,rss=,time=,lstart=";
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_MS = 5_000;
const SECONDS_A_DAY = 86_400;

/** Reads all processes from `ps`. `undefined` on a system that has none. */
export async function readPs(): Promise<ProcessTable | undefined> {
  if (process.platform === "win32") return undefined;
  try {
    const { stdout } = await promisify(execFile)(
      "/bin/ps",
      ["-A", "-o", COLUMNS],
      {
        // `ps` prints the start as text, which depends on locale and time zone.
        env: { LC_ALL: "C", TZ: "UTC" },
        maxBuffer: MAX_BYTES,
        timeout: MAX_MS,
      },
    );
    return parsePs(stdout);
  } catch {
    return undefined;
  }
}

/** Reads what `ps -A -o pid=,ppid=,pgid=,stat=,rss=,time=,lstart=` prints. */
export function parsePs(text: string): ProcessTable {
  const table = new Map<number, SystemProcess>();
  const line =
    /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\d+)\s+([\d:.-]+)\s+(\S.*?)\s*$/gm;
  for (const [, ...values] of text.matchAll(line)) {
    const [pid, parent, group, state, kibibytes, time, startTime] =
      values as string[];
    if (state!.startsWith("Z")) continue;
    table.set(Number(pid), {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      session: null,
      startTime: startTime!,
      name: null,
      cpuMs: toMs(time!),
      memoryBytes: Number(kibibytes) * 1024,
    });
  }
  return table;
}

/** Reads `[days-][hours:]minutes:seconds[.hundredths]`. */
function toMs(time: string): number {
  const [clock = "", days = "0"] = time.split("-").reverse();
  const seconds = clock
    .split(":")
    .reduce((sum, part) => sum * 60 + Number(part), 0);
  return Math.round((Number(days) * SECONDS_A_DAY + seconds) * 1_000);
}
