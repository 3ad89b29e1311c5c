import { stat } from "node:fs/promises";
import { join } from "node:path";
import { readAuditLine } from "./audit-entry.ts";
import type { AuditEntry, AuditTip } from "./audit-entry.ts";
import {
  auditFileName,
  HEAD_FILE,
  listAuditFiles,
  readAuditHead,
  readAuditLines,
} from "./audit-files.ts";
import type { AuditHead } from "./audit-files.ts";

/** What a look at a whole log found. */
export type AuditVerdict =
  | {
      readonly state: "intact";
      readonly entries: number;
      /** The first and the last entry that are kept. */
      readonly first: AuditEntry | undefined;
      readonly last: AuditEntry | undefined;
    }
  | {
      readonly state: "broken";
      /** The first place that is wrong. */
      readonly file: string;
      /** Counted from 1; 0 for the file as a whole. */
      readonly line: number;
      readonly reason: string;
    };

/** Reads the lines of a log file; a test counts them. */
type ReadLines = typeof readAuditLines;

/** A file that gets no more lines and was found intact. */
interface VerifiedFile {
  /** Changes with every change of the file: no program can set the time of the last change. */
  readonly stamp: string;
  /** Hash of the line before its first one. */
  readonly from: string;
  readonly entries: number;
  readonly first: AuditEntry | undefined;
  readonly last: AuditEntry | undefined;
}

/**
 * Reads a whole log and finds the first line that was changed, removed, moved or put in. It may be read while a daemon
 * writes it. A program that may write the files can write a whole new log that fits together; the hash of the last line, noted
 * elsewhere, shows that too.
 */
export function verifyAudit(folder: string): Promise<AuditVerdict> {
  return createAuditVerifier(folder)();
}

/**
 * Makes a function that verifies a log as {@link verifyAudit} does, and each time after the first reads only files that
 * were changed since: most of a log is in files that get no more lines.
 */
export function createAuditVerifier(
  folder: string,
  readLines: ReadLines = readAuditLines,
): () => Promise<AuditVerdict> {
  const verified = new Map<number, VerifiedFile>();
  return async () => {
    for (;;) {
      // Read before the lines, so that what is written meanwhile is only more than it knows of.
      const head = await readHead(folder);
      const host = { folder, readLines, verified };
      const verdict = await verifyAgainst(host, head);
      if (verdict.state === "intact") return verdict;
      // The oldest file may have been dropped in the meantime.
      const now = await readHead(folder);
      if (firstFileOf(now) === firstFileOf(head)) return verdict;
    }
  };
}

interface VerifierHost {
  folder: string;
  readLines: ReadLines;
  verified: Map<number, VerifiedFile>;
}

/** What keeps a file from being read that is not as the daemon made it. */
const UNREADABLE: Readonly<Record<string, string>> = {
  EACCES: "it may not be opened",
  EISDIR: "it is a folder",
  ELOOP: "it is a broken link",
  ENOENT: "it is missing",
};

/** Says why a file of the log cannot be read. Throws a fault of the system, which tells nothing of the file. */
function explainUnreadable(error: unknown): string {
  const reason = UNREADABLE[(error as { code?: string }).code ?? ""];
  if (reason === undefined) throw error;
  return reason;
}

const readHead = (folder: string) =>
  readAuditHead(folder).catch((error: unknown) => {
    explainUnreadable(error);
    return "damaged" as const;
  });

const firstFileOf = (head: AuditHead | "damaged" | undefined) =>
  typeof head === "object" ? head.firstFile : head;

async function verifyAgainst(
  host: VerifierHost,
  head: AuditHead | "damaged" | undefined,
): Promise<AuditVerdict> {
  const files = await listAuditFiles(host.folder);
  if (head === "damaged")
    return broken(HEAD_FILE, 0, "it says no more where the log ends");
  if (!head) {
    return files.length === 0
      ? { state: "intact", entries: 0, first: undefined, last: undefined }
      : broken(HEAD_FILE, 0, "it is missing");
  }
  for (const number of host.verified.keys())
    if (number < head.firstFile) host.verified.delete(number);
  let tip: AuditTip = head.base;
  let entries = 0;
  let first: AuditEntry | undefined;
  let last: AuditEntry | undefined;
  let place = { file: auditFileName(head.firstFile), line: 0 };
  for (const number of files.filter((each) => each >= head.firstFile)) {
    const isNewest = number === files.at(-1);
    const part = await verifyFile(host, number, {
      tip,
      head,
      isNewest,
    }).catch((error: unknown) =>
      broken(auditFileName(number), 0, explainUnreadable(error)),
    );
    if ("state" in part) return part;
    entries += part.entries;
    first ??= part.first;
    last = part.last ?? last;
    tip = part.last ?? tip;
    if (part.entries > 0)
      place = { file: auditFileName(number), line: part.entries };
  }
  if (tip.seq < head.tip.seq) {
    const missing = head.tip.seq - tip.seq;
    const { file, line } = place;
    return broken(file, line + 1, `${missing} written after it are missing`);
  }
  return { state: "intact", entries, first, last };
}

/** Verifies one file whose first line must follow a tip. */
async function verifyFile(
  { folder, readLines, verified }: VerifierHost,
  number: number,
  before: { tip: AuditTip; head: AuditHead; isNewest: boolean },
): Promise<Omit<VerifiedFile, "stamp"> | AuditVerdict> {
  const { head, isNewest } = before;
  const file = auditFileName(number);
  // Taken before the lines are read, so that a change meanwhile is seen the next time.
  const stamp = isNewest ? undefined : await stampOf(join(folder, file));
  const known = verified.get(number);
  const isKnown =
    known?.stamp === stamp &&
    known?.from === before.tip.hash &&
    (known.last?.seq ?? 0) < head.tip.seq;
  if (known && isKnown) return known;

  let tip = before.tip;
  let first: AuditEntry | undefined;
  let last: AuditEntry | undefined;
  const { lines, rest } = await readLines(folder, number);
  for (const [index, line] of lines.entries()) {
    const entry = readAuditLine(line, tip);
    if (typeof entry === "string") return broken(file, index + 1, entry);
    if (entry.seq === head.tip.seq && entry.hash !== head.tip.hash)
      return broken(file, index + 1, "it is another one than was written");
    tip = entry;
    first ??= entry;
    last = entry;
  }
  // An unfinished line of the newest file was never acknowledged, unless the head counts it.
  if (rest !== "" && (tip.seq < head.tip.seq || !isNewest))
    return broken(file, lines.length + 1, "its end is missing");
  const part = { from: before.tip.hash, entries: lines.length, first, last };
  if (stamp !== undefined) verified.set(number, { ...part, stamp });
  return part;
}

async function stampOf(file: string): Promise<string> {
  const { ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
  return [ino, size, mtimeNs, ctimeNs].join(" ");
}

function broken(file: string, line: number, reason: string): AuditVerdict {
  return { state: "broken", file, line, reason };
}
