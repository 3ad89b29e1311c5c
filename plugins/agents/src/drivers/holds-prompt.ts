import { open, type FileHandle } from "node:fs/promises";
import { readLinesBackwards } from "../transcript/read-backwards.ts";

/** A message of the user in the record of a CLI. */
export interface RecordedMessage {
  /** RFC 3339. */
  at: string;
  text: string;
}

/**
 * Whether a record of JSON lines, in the order of their times, holds a message of the user that was handed over at
 * `since`. A record that is not there yet holds nothing.
 *
 * @param read Gives the message that a line holds, if it holds one.
 */
export async function holdsPrompt(
  path: string | null,
  { text, since }: { text: string; since: string },
  read: (line: unknown) => RecordedMessage | undefined,
): Promise<boolean> {
  const file = path === null ? undefined : await openRecord(path);
  if (!file) return false;
  try {
    const { size } = await file.stat();
    for await (const line of readLinesBackwards(file, size)) {
      const message = read(parse(line.text));
      if (!message) continue;
      if (Date.parse(message.at) < Date.parse(since)) return false;
      if (isSame(message.text, text)) return true;
    }
    return false;
  } finally {
    await file.close();
  }
}

/** CLIs write commands down in ways of their own; before a prompt nothing else of the user comes. */
function isSame(recorded: string, handed: string): boolean {
  return handed.startsWith("/") || recorded.trim().endsWith(handed.trim());
}

async function openRecord(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** A line that a kill has torn holds nothing. */
function parse(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
