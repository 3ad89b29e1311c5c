import type { FileHandle } from "node:fs/promises";
import type { SessionMark } from "./mark.ts";
import { readAllBackwards } from "./read-path.ts";

/** A session of the CLI that a transcript names, and what is needed to continue it. */
export interface EarlierSession {
  sessionId: string;
  resumeKey: string | null;
  /** The running total that the CLI reported last for it. */
  reportedCostUsd: number | null;
}

/** Looks for a session in all branches that end before a place. */
export async function findSession(
  file: FileHandle,
  end: number,
  sessionId: string,
): Promise<EarlierSession | undefined> {
  let newest: SessionMark | undefined;
  /** Of the lines between the mark that is read next and the one after it. */
  let total: number | undefined;
  for await (const line of readAllBackwards(file, end)) {
    if (line.type === "entry") {
      total ??= line.entry.reportedCostUsd ?? undefined;
      continue;
    }
    if (line.mark.kind !== "session") continue;
    const reported = total;
    total = undefined;
    if (line.mark.sessionId !== sessionId) continue;
    newest ??= line.mark;
    // It may have been continued since without a report.
    if (reported !== undefined || line.mark.isFresh)
      return toSession(newest, reported);
  }
  return newest && toSession(newest, undefined);
}

function toSession(
  { sessionId, resumeKey }: SessionMark,
  reported: number | undefined,
): EarlierSession {
  return { sessionId, resumeKey, reportedCostUsd: reported ?? null };
}
