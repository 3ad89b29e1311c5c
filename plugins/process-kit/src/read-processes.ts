import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { endianness } from "node:os";
import { basename } from "node:path";
import { readProcessStatNow } from "@gantry/plugin/processes";
import type { ProcessTable, SystemProcess } from "./process-table.ts";
import { readPs } from "./read-ps.ts";

/** So many processes are read before others get their turn. */
const AT_ONCE = 100;
/** Entries of the auxiliary vector, getauxval(3). */
const PAGE_SIZE_ENTRY = 6n;
const CLOCK_TICKS_ENTRY = 17n;
const USUAL_PAGE_SIZE = 4096;
const USUAL_CLOCK_TICKS = 100;
const NODE_MAIN_THREAD = "MainThread";
/** Of proc_pid_stat(5): name, state, parent, group, session, start, pages of memory, and times with those of children. */
const FIELDS = [2, 3, 4, 5, 6, 22, 24, 14, 15, 16, 17];

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
  const fields = readProcessStatNow(pid, FIELDS);
  // It has just ended, or was not reaped.
  if (!fields || /^[ZX]?$/i.test(fields[1]!)) return undefined;
  const [thread, , parent, group, session, startTime, pages, ...times] =
    fields as [string, ...string[]];
  const ticks = times.reduce((sum, time) => sum + Number(time), 0);
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startTime: startTime!,
    name: toName(pid, thread),
    cpuMs: Math.round(ticks * tickMs),
    memoryBytes: Number(pages) * pageBytes,
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
