import { execFile } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { endianness } from "node:os";
import { basename } from "node:path";
import { promisify } from "node:util";
import type { ProcessMember } from "@gantry/plugin";

/** A process of this machine, of any user. Its time is with that of the children that it has seen the end of. */
export interface SystemProcess extends ProcessMember {
  parent: number;
}

/** All processes that have not ended, by their numbers. */
export type ProcessTable = ReadonlyMap<number, SystemProcess>;

/** So many processes are read before others get their turn. */
const AT_ONCE = 100;
/** Entries of the auxiliary vector, getauxval(3). */
const PAGE_SIZE_ENTRY = 6n;
const CLOCK_TICKS_ENTRY = 17n;
const USUAL_PAGE_SIZE = 4096;
const USUAL_CLOCK_TICKS = 100;
const NODE_MAIN_THREAD = "MainThread";
const PS_COLUMNS = "pid=,ppid=,pgid=,stat=,rss=,time=,lstart=";
const MAX_PS_BYTES = 16 * 1024 * 1024;
const MAX_PS_MS = 5_000;
const SECONDS_A_DAY = 86_400;

/** Reads all processes, from /proc or from `ps`. `undefined` on a system that has neither. */
export async function readProcesses(): Promise<ProcessTable | undefined> {
  return (await readProcFolder()) ?? (await readPs());
}

/** Reads them without waiting for each, which would take many times as long: the kernel has them at hand. */
async function readProcFolder(): Promise<ProcessTable | undefined> {
  const units = readUnits();
  if (!units) return undefined;
  const table = new Map<number, SystemProcess>();
  for (const [at, name] of readdirSync("/proc").entries()) {
    if (at % AT_ONCE === AT_ONCE - 1) await new Promise(setImmediate);
    const found = Number(name) > 0 && readStat(Number(name), units);
    if (found) table.set(found.pid, found);
  }
  return table;
}

interface Units {
  pageBytes: number;
  tickMs: number;
}

/** What a page and a tick are on this machine; `undefined` without /proc. */
function readUnits(): Units | undefined {
  try {
    const vector = readFileSync("/proc/self/auxv");
    const read = (at: number) =>
      endianness() === "LE"
        ? vector.readBigUInt64LE(at)
        : vector.readBigUInt64BE(at);
    const entries = new Map<bigint, number>();
    for (let at = 0; at + 16 <= vector.length; at += 16)
      entries.set(read(at), Number(read(at + 8)));
    const ticks = entries.get(CLOCK_TICKS_ENTRY) ?? USUAL_CLOCK_TICKS;
    return {
      pageBytes: entries.get(PAGE_SIZE_ENTRY) ?? USUAL_PAGE_SIZE,
      tickMs: 1_000 / ticks,
    };
  } catch {
    return undefined;
  }
}

function readStat(
  pid: number,
  { pageBytes, tickMs }: Units,
): SystemProcess | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    // It has just ended.
    return undefined;
  }
  // The second field is the program's name in parentheses and may hold anything.
  const nameEnd = text.lastIndexOf(")");
  const values = text.slice(nameEnd + 2).split(" ");
  // By the numbers of proc_pid_stat(5), the first of which here is 3.
  const field = (number: number) => values[number - 3] ?? "";
  if (/^[ZX]?$/i.test(field(3))) return undefined;
  const ticks = [14, 15, 16, 17].reduce(
    (sum, number) => sum + Number(field(number)),
    0,
  );
  return {
    pid,
    parent: Number(field(4)),
    group: Number(field(5)),
    session: Number(field(6)),
    startTime: field(22),
    name: toName(pid, text.slice(text.indexOf("(") + 1, nameEnd)),
    cpuMs: Math.round(ticks * tickMs),
    memoryBytes: Number(field(24)) * pageBytes,
  };
}

/** What the system calls a process is the name of its main thread, which Node gives the same one in all its programs. */
function toName(pid: number, thread: string): string {
  if (thread !== NODE_MAIN_THREAD) return thread;
  try {
    return basename(readlinkSync(`/proc/${pid}/exe`));
  } catch {
    return thread;
  }
}

async function readPs(): Promise<ProcessTable | undefined> {
  if (process.platform === "win32") return undefined;
  try {
    const { stdout } = await promisify(execFile)(
      "/bin/ps",
      ["-A", "-o", PS_COLUMNS],
      {
        // The start is told in words, which must be the same each time.
        env: { LC_ALL: "C", TZ: "UTC" },
        maxBuffer: MAX_PS_BYTES,
        timeout: MAX_PS_MS,
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
