import type { FileHandle } from "node:fs/promises";
import type { Entry } from "./entry.ts";
import type { SessionMark } from "./mark.ts";
import { readAllBackwards, readPathBackwards } from "./read-path.ts";

/** An entry, where it is, and what the CLI knew when it came. */
export interface FoundEntry {
  entry: Entry;
  /** Where its line begins in the file. */
  start: number;
  /** The session of the CLI that it belongs to; `null` if that is not written down. */
  session: SessionMark | null;
  /** How many messages of the user that session has before it. */
  promptsBefore: number;
}

/** Looks for an entry in all branches that end before a place, the newest first. */
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

/** A message of the user that a CLI counts. */
export function isUserMessage({ role, kind }: Entry): boolean {
  return role === "user" && kind === "text";
}

async function knownBefore(
  file: FileHandle,
  start: number,
): Promise<Pick<FoundEntry, "session" | "promptsBefore">> {
  let session: SessionMark | null = null;
  let promptsBefore = 0;
  /** Messages between the mark that is read next and the one after it. */
  let prompts = 0;
  /** The session that is looked for; `undefined` while it is whichever comes next. */
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
  // The beginning of a conversation may have no mark.
  if (wanted === undefined) promptsBefore += prompts;
  return { session, promptsBefore };
}
