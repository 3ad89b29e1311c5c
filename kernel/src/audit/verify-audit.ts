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

/**
 * Reads a whole log and finds the first line that was changed, removed, moved or put in. It may be read while a daemon
 * writes it. Whoever may write the files can write a whole new log that fits together; the hash of the last line, noted
 * elsewhere, shows that too.
 */
export async function verifyAudit(folder: string): Promise<AuditVerdict> {
  for (;;) {
    // Read before the lines, so that what is written meanwhile is only more than it knows of.
    const head = await readAuditHead(folder);
    const verdict = await verifyAgainst(folder, head).catch(
      (error: { code?: string }) => {
        if (error.code !== "ENOENT") throw error;
        return undefined;
      },
    );
    if (verdict?.state === "intact") return verdict;
    // The oldest file may have been dropped under our eyes.
    const now = await readAuditHead(folder);
    if (firstFileOf(now) === firstFileOf(head) && verdict) return verdict;
  }
}

const firstFileOf = (head: AuditHead | "damaged" | undefined) =>
  typeof head === "object" ? head.firstFile : head;

async function verifyAgainst(
  folder: string,
  head: AuditHead | "damaged" | undefined,
): Promise<AuditVerdict> {
  const files = await listAuditFiles(folder);
  if (head === "damaged")
    return broken(HEAD_FILE, 0, "it says no more where the log ends");
  if (!head) {
    return files.length === 0
      ? { state: "intact", entries: 0, first: undefined, last: undefined }
      : broken(HEAD_FILE, 0, "it is missing");
  }
  let tip: AuditTip = head.base;
  let entries = 0;
  let first: AuditEntry | undefined;
  let last: AuditEntry | undefined;
  let place = { file: auditFileName(head.firstFile), line: 0 };
  for (const number of files.filter((each) => each >= head.firstFile)) {
    const file = auditFileName(number);
    const { lines, rest } = await readAuditLines(folder, number);
    for (const [index, line] of lines.entries()) {
      place = { file, line: index + 1 };
      const entry = readAuditLine(line, tip);
      if (typeof entry === "string") return { ...place, ...reasoned(entry) };
      if (entry.seq === head.tip.seq && entry.hash !== head.tip.hash)
        return { ...place, ...reasoned("it is another one than was written") };
      tip = entry;
      first ??= entry;
      last = entry;
      entries++;
    }
    // Nobody was told that an unfinished line was written, unless it was once.
    if (rest !== "" && (tip.seq < head.tip.seq || number !== files.at(-1)))
      return broken(file, lines.length + 1, "its end is missing");
  }
  if (tip.seq < head.tip.seq) {
    const missing = head.tip.seq - tip.seq;
    const { file, line } = place;
    return broken(file, line + 1, `${missing} written after it are missing`);
  }
  return { state: "intact", entries, first, last };
}

const reasoned = (reason: string) => ({ state: "broken", reason }) as const;

function broken(file: string, line: number, reason: string): AuditVerdict {
  return { file, line, ...reasoned(reason) };
}
