import { open, type FileHandle } from "node:fs/promises";
import { readLinesBackwards } from "./wire/read-backwards.ts";

/** A message of the user in a CLI's record. */
export interface RecordedMessage {
  /** RFC 3339. */
  at: string;
  text: string;
}

/**
 * Whether a JSON lines record, ordered by time, contains a message of the user that was sent at `since`. A record that
 * does not exist yet contains nothing.
 *
 * @param read Returns the message that a line contains, if any.
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

/** CLIs record commands in their own formats; before a prompt no other message of the user can follow. */
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

/** A line cut off by a kill contains nothing. */
function parse(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}
