import type { FileHandle } from "node:fs/promises";
import type { SessionMark } from "./mark.ts";
import { readAllBackwards } from "./read-path.ts";

/** A session of the CLI that a transcript records, with the data to continue it. */
export interface EarlierSession {
  sessionId: string;
  resumeKey: string | null;
  /** The running total of the cost that the CLI reported last for it. */
  reportedCostUsd: number | null;
}

/** Searches all branches for a session before the offset `end`. */
export async function findSession(
  file: FileHandle,
  end: number,
  sessionId: string,
): Promise<EarlierSession | undefined> {
  let newest: SessionMark | undefined;
  /** The newest reported total since the last session mark that was read. */
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
    // Without a report here, an earlier part of the same session may have one.
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
