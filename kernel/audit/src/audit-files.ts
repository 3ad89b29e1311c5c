import { constants } from "node:fs";
import { open, readdir, readFile } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { AUDIT_START } from "./audit-entry.ts";
import type { AuditTip } from "./audit-entry.ts";

/**
 * Data stored beside the lines: where the log starts since its oldest files were removed, and its last line. From the
 * chain alone, a removed end could not be detected.
 */
export interface AuditHead {
  /** Number of the log's oldest file. */
  readonly firstFile: number;
  /** The line before the first one of that file. */
  readonly base: AuditTip;
  /** The last line known to be on disk. */
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
/** One sector of a disk, which is written completely or not at all. */
const HEAD_BYTES = 512;

/** Name of a log file. */
export function auditFileName(number: number): string {
  return `audit-${String(number).padStart(6, "0")}.jsonl`;
}

/** Numbers of the existing log files, oldest first. */
export async function listAuditFiles(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch((error: { code?: string }) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  return names
    .flatMap((name) => Number(LOG_FILE.exec(name)?.[1] ?? 0) || [])
    .sort((one, other) => one - other);
}

/** The head, `undefined` if there is none, `"damaged"` if it cannot be read. */
export async function readAuditHead(
  folder: string,
): Promise<AuditHead | "damaged" | undefined> {
  const text = await readFile(join(folder, HEAD_FILE), "latin1").catch(
    (error: { code?: string }) => {
      if (error.code === "ENOENT") return undefined;
      throw error;
    },
  );
  if (text === undefined) return undefined;
  try {
    const head = JSON.parse(text) as AuditHead;
    const isHead =
      Number.isSafeInteger(head.firstFile) &&
      isTip(head.base) &&
      isTip(head.tip);
    return isHead ? head : "damaged";
  } catch {
    return "damaged";
  }
}

function isTip(tip: unknown): tip is AuditTip {
  const { seq, hash } = (tip ?? {}) as Partial<AuditTip>;
  return Number.isSafeInteger(seq) && typeof hash === "string";
}

/** The lines of a log file. `rest` is the text after the last line end: an unfinished line. */
export async function readAuditLines(
  folder: string,
  number: number,
): Promise<{ lines: string[]; rest: string }> {
  const text = await readFile(join(folder, auditFileName(number)), "latin1");
  const lines = text.split("\n");
  const rest = lines.pop() ?? "";
  return { lines, rest };
}

/** Opens a file of the log for appending, readable by the user only. Does not follow a link. */
export function openToAppend(file: string): Promise<FileHandle> {
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW } = constants;
  return open(file, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600);
}

/** Opens the head's file for writing in place. */
export function openHead(folder: string): Promise<FileHandle> {
  const { O_CREAT, O_RDWR, O_NOFOLLOW } = constants;
  return open(join(folder, HEAD_FILE), O_CREAT | O_RDWR | O_NOFOLLOW, 0o600);
}

/** Overwrites the head. */
export async function writeAuditHead(
  handle: FileHandle,
  head: AuditHead,
): Promise<void> {
  const text = JSON.stringify(head).padEnd(HEAD_BYTES - 1);
  await handle.write(`${text}\n`, 0, "latin1");
}
