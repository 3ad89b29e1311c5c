import { constants } from "node:fs";
import { open, readdir, readFile } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { ifThere } from "../home/if-there.ts";
import { parseJson } from "../parse-json.ts";
import { AUDIT_START, readAuditLine } from "./audit-entry.ts";
import type { AuditEntry, AuditTip } from "./audit-entry.ts";

/**
 * What stands beside the lines: where the log begins since its oldest files were dropped, and how far it went. A chain
 * alone cannot tell that its end was cut off.
 */
export interface AuditHead {
  /** Number of the oldest file that belongs to the log. */
  readonly firstFile: number;
  /** The line before the first one of that file. */
  readonly base: AuditTip;
  /** The last line that is known to be on disk. */
  readonly tip: AuditTip;
}

export const EMPTY_HEAD: AuditHead = {
  firstFile: 1,
  base: AUDIT_START,
  tip: AUDIT_START,
};

/** Name of the file that holds the head. */
export const HEAD_FILE = "head.json";
const LOG_FILE = /^audit-(\d{6})\.jsonl$/;
/** One sector of a disk, which is written whole or not at all. */
const HEAD_BYTES = 512;

/** Name of a log file. */
export function auditFileName(number: number): string {
  return `audit-${String(number).padStart(6, "0")}.jsonl`;
}

/** Numbers of the log files that are there, the oldest first. */
export async function listAuditFiles(folder: string): Promise<number[]> {
  const names = (await ifThere(readdir(folder))) ?? [];
  return names
    .flatMap((name) => Number(LOG_FILE.exec(name)?.[1] ?? 0) || [])
    .sort((one, other) => one - other);
}

/** The head, `undefined` if there is none, `"damaged"` if it cannot be read. */
export async function readAuditHead(
  folder: string,
): Promise<AuditHead | "damaged" | undefined> {
  const text = await ifThere(readFile(join(folder, HEAD_FILE), "latin1"));
  if (text === undefined) return undefined;
  const head = (parseJson(text) ?? {}) as AuditHead;
  const isHead =
    Number.isSafeInteger(head.firstFile) && isTip(head.base) && isTip(head.tip);
  return isHead ? head : "damaged";
}

function isTip(tip: unknown): tip is AuditTip {
  const { seq, hash } = (tip ?? {}) as Partial<AuditTip>;
  return Number.isSafeInteger(seq) && typeof hash === "string";
}

/** The lines of a log file. `rest` is what stands behind the last line end: a line that was never finished. */
export async function readAuditLines(
  folder: string,
  number: number,
): Promise<{ lines: string[]; rest: string }> {
  const text = await readFile(join(folder, auditFileName(number)), "latin1");
  const lines = text.split("\n");
  const rest = lines.pop() ?? "";
  return { lines, rest };
}

/** The newest entries of a log that can be read, the oldest first; whether or not a daemon writes it. */
export async function readLatest(
  folder: string,
  limit: number,
): Promise<AuditEntry[]> {
  let entries: AuditEntry[] = [];
  for (const number of (await listAuditFiles(folder)).reverse()) {
    const { lines } = await readAuditLines(folder, number);
    const older = lines
      .slice(-limit)
      .map((line) => readAuditLine(line, undefined))
      .filter((entry) => typeof entry !== "string");
    entries = [...older, ...entries].slice(-limit);
    if (entries.length === limit) break;
  }
  return entries;
}

/** Opens a file of the log to be written at its end, readable by the user alone. A link is not followed. */
export function openToAppend(file: string): Promise<FileHandle> {
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
  return open(file, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
}

/** Opens the head's file to be written in place. */
export function openHead(folder: string): Promise<FileHandle> {
  const { O_CREAT, O_RDWR, O_NOFOLLOW } = constants;
  return open(join(folder, HEAD_FILE), O_CREAT | O_RDWR | O_NOFOLLOW, 0o600);
}

/** Writes the head over the last one. */
export async function writeAuditHead(
  handle: FileHandle,
  head: AuditHead,
): Promise<void> {
  const text = JSON.stringify(head).padEnd(HEAD_BYTES - 1);
  await handle.write(`${text}\n`, 0, "latin1");
}
