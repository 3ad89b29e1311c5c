import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { descendantsOf, residentBytes } from "../attacks/world/processes.ts";
import type { Daemon } from "./daemon.ts";

/** What a daemon holds at a moment. */
export interface ProcessSample {
  memoryBytes: number;
  descriptors: number;
  /** Processes that it has started, and what those have. */
  processes: number;
  /** Files in its home. */
  files: number;
  fileBytes: number;
  /** Rows of its store, without what is kept for days by intent. */
  rows: number;
}

/** What outlives what it is about for days by intent: events, what was spent, and who was deleted. */
const KEPT = [
  "kernel:event:*",
  "agents:turn[:~]*",
  "usage:sum:*",
  "automations:run-sum:*",
  "automations:spent:*",
  "inbox:deleted-agent:*",
];

/** Looks at a daemon from outside. */
export function sampleProcess({ pid, home }: Daemon): ProcessSample {
  using database = new DatabaseSync(join(home, "store.sqlite"), {
    readOnly: true,
  });
  const isKept = KEPT.map((pattern) => `key GLOB '${pattern}'`).join(" OR ");
  const { rows } = database
    .prepare(`SELECT count(*) AS rows FROM entries WHERE NOT (${isKept})`)
    .get() as { rows: number };
  const files = readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^(store|audit)/.test(entry.name))
    .map((entry) => sizeOf(join(entry.parentPath, entry.name)));
  return {
    memoryBytes: residentBytes(pid),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    processes: descendantsOf(pid).size,
    files: files.length,
    fileBytes: files.reduce((sum, size) => sum + size, 0),
    rows,
  };
}

/** Of a file, which may go while it is looked at. */
function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
