import { unlink } from "node:fs/promises";
import { join } from "node:path";
import { readAuditLine, renderAuditLine } from "./audit-entry.ts";
import type { AuditEntry, AuditTip, NewAuditEntry } from "./audit-entry.ts";
import {
  auditFileName,
  EMPTY_HEAD,
  listAuditFiles,
  openHead,
  openToAppend,
  readAuditHead,
  readAuditLines,
  writeAuditHead,
} from "./audit-files.ts";
import type { AuditHead } from "./audit-files.ts";

/** How large a log may grow. */
export interface AuditLimits {
  /** A file that is larger gets no more lines. */
  fileBytes: number;
  /** Files that are kept; then the oldest goes. */
  files: number;
}

/** The files of a log, open at their end. */
export type AuditWriter = Awaited<ReturnType<typeof openAuditWriter>>;

/**
 * Opens a log at its end. What is damaged is left as it is, and a new file begins behind a gap in the numbers, so that
 * no later line makes the log look whole again.
 */
export async function openAuditWriter(folder: string, limits: AuditLimits) {
  const found = await findEnd(folder);
  let { head, tip, number } = found;
  await dropBefore(folder, head.firstFile);
  const headFile = await openHead(folder);
  let file = headFile;
  let size = 0;
  try {
    await writeAuditHead(headFile, head);
    await openFile(number);
    if (found.unfinished > 0) await cutBack(size - found.unfinished);
  } catch (error) {
    await file.close();
    await headFile.close();
    throw error;
  }

  async function openFile(next: number): Promise<void> {
    file = await openToAppend(join(folder, auditFileName(next)));
    number = next;
    ({ size } = await file.stat());
  }

  async function cutBack(length: number): Promise<void> {
    await file.truncate(length);
    size = length;
  }

  /** Begins the next file, and drops the oldest if there are too many; the head knows first where the log begins now. */
  async function rotate(): Promise<void> {
    await file.close();
    await openFile(number + 1);
    const firstFile = number - limits.files + 1;
    if (firstFile <= head.firstFile) return;
    const { lines } = await readAuditLines(folder, firstFile - 1);
    const last = readAuditLine(lines.at(-1) ?? "", undefined);
    const base = typeof last === "string" ? head.base : last;
    head = { ...head, firstFile, base: { seq: base.seq, hash: base.hash } };
    await writeAuditHead(headFile, head);
    await headFile.datasync();
    await dropBefore(folder, firstFile);
  }

  return {
    /** The newest entries that were there already, the oldest first. */
    recent: found.recent,
    /** What is wrong with what was there, `undefined` if nothing is. */
    damage: found.damage,
    /** Writes entries as lines, flushed to disk. One call at a time. @throws with nothing written */
    async append(entries: readonly NewAuditEntry[]): Promise<AuditEntry[]> {
      if (size >= limits.fileBytes) await rotate();
      let end = tip;
      let text = "";
      const written = entries.map((each) => {
        const { line, entry } = renderAuditLine(each, end);
        text += `${line}\n`;
        end = { seq: entry.seq, hash: entry.hash };
        return entry;
      });
      try {
        await file.appendFile(text, "latin1");
        await file.datasync();
      } catch (error) {
        // A full disk takes a part of a line, and the next line must not stand behind it.
        await cutBack(size).catch(() => {});
        throw error;
      }
      size += text.length;
      tip = end;
      head = { ...head, tip };
      await writeAuditHead(headFile, head);
      return written;
    },
    async close() {
      await file.close();
      await headFile.close();
    },
  };
}

interface End {
  head: AuditHead;
  tip: AuditTip;
  /** The file to append to. */
  number: number;
  /** Bytes at its end that are half a line, which a crash left and no caller knows of. */
  unfinished: number;
  recent: readonly AuditEntry[];
  damage: string | undefined;
}

/** Finds out where a log ends and whether its end is as it was left. */
async function findEnd(folder: string): Promise<End> {
  const files = await listAuditFiles(folder);
  const stored = await readAuditHead(folder);
  const { recent, unfinished } = await readEnd(folder, files.slice(-2));
  const last = recent.at(-1);
  const isNew = stored === undefined && files.length === 0;
  const head = isNew ? EMPTY_HEAD : stored;
  const damage = findDamage(head, last);
  if (damage === undefined && typeof head === "object") {
    const tip = last ? { seq: last.seq, hash: last.hash } : head.base;
    const number = files.at(-1) ?? head.firstFile;
    return { head, tip, number, unfinished, recent, damage };
  }
  const known = typeof head === "object" ? head : EMPTY_HEAD;
  // One number is left out: what follows must never seem to belong to what was there.
  const seq = Math.max(last?.seq ?? 0, known.tip.seq) + 1;
  const tip = { seq, hash: AFTER_DAMAGE };
  const number = Math.max(files.at(-1) ?? 0, known.firstFile) + 1;
  return {
    head: { ...known, tip },
    tip,
    number,
    unfinished: 0,
    recent,
    damage,
  };
}

/** The entries at the end of the newest files, up to the last that cannot be read. */
async function readEnd(
  folder: string,
  numbers: readonly number[],
): Promise<{ recent: AuditEntry[]; unfinished: number }> {
  const recent: AuditEntry[] = [];
  let unfinished = 0;
  for (const number of numbers) {
    const { lines, rest } = await readAuditLines(folder, number);
    unfinished = rest.length;
    for (const line of lines) {
      const entry = readAuditLine(line, recent.at(-1));
      if (typeof entry === "string") recent.length = 0;
      else recent.push(entry);
    }
  }
  return { recent, unfinished };
}

/** Stands for the hash of the line that was left out. */
const AFTER_DAMAGE = "damaged".padEnd(43, "-");

function findDamage(
  head: AuditHead | "damaged" | undefined,
  last: AuditEntry | undefined,
): string | undefined {
  if (typeof head !== "object") return "its head is gone";
  if ((last?.seq ?? head.base.seq) < head.tip.seq)
    return "its last lines are gone";
  const isOther = last?.seq === head.tip.seq && last.hash !== head.tip.hash;
  return isOther ? "its last line is another one" : undefined;
}

/** Removes the files that belong to the log no more. */
async function dropBefore(folder: string, firstFile: number): Promise<void> {
  for (const number of await listAuditFiles(folder)) {
    if (number < firstFile) await unlink(join(folder, auditFileName(number)));
  }
}
