import { readAuditLine } from "./audit-entry.ts";
import type { AuditEntry } from "./audit-entry.ts";
import { listAuditFiles, readAuditLines } from "./audit-files.ts";

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
