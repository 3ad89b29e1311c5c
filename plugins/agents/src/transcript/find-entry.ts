import type { FileHandle } from "node:fs/promises";
import type { Entry } from "./entry.ts";
import type { SessionMark } from "./mark.ts";
import { readAllBackwards, readPathBackwards } from "./read-path.ts";

/** An entry, its position in the file, and the CLI's session at that point. */
export interface FoundEntry {
  entry: Entry;
  /** Byte offset of its line in the file. */
  start: number;
  /** The session of the CLI that it belongs to; `null` if none is recorded. */
  session: SessionMark | null;
  /** The number of the user's messages before it in that session. */
  promptsBefore: number;
}

/** Searches all branches for an entry before the offset `end`, newest first. */
export async function findEntry(
  file: FileHandle,
  end: number,
  entryId: string,
): Promise<FoundEntry | undefined> {
  for await (const line of readAllBackwards(file, end)) {
    if (line.type !== "entry" || line.entry.id !== entryId) continue;
    const { entry, start } = line;
    return { entry, start, ...(await knownBefore(file, start)) };
  }
  return undefined;
}

/** Whether an entry is a message of the user that the CLI's session contains. */
export function isUserMessage({ role, kind }: Entry): boolean {
  return role === "user" && kind === "text";
}

async function knownBefore(
  file: FileHandle,
  start: number,
): Promise<Pick<FoundEntry, "session" | "promptsBefore">> {
  let session: SessionMark | null = null;
  let promptsBefore = 0;
  /** The user's messages since the last session mark that was read. */
  let prompts = 0;
  /** The session whose messages are counted; `undefined` until the next mark determines it. */
  let wanted: string | undefined;
  for await (const line of readPathBackwards(file, start)) {
    if (line.type === "entry") {
      if (isUserMessage(line.entry)) prompts += 1;
    } else if (line.mark.kind === "session") {
      const { sessionId, isFresh, isReturn } = line.mark;
      const isKnown = wanted === undefined || wanted === sessionId;
      if (isKnown) promptsBefore += prompts;
      prompts = 0;
      if (!isKnown) continue;
      session ??= line.mark;
      if (isFresh) return { session, promptsBefore };
      wanted = isReturn ? sessionId : undefined;
    }
  }
  // A conversation may begin without a mark.
  if (wanted === undefined) promptsBefore += prompts;
  return { session, promptsBefore };
}
