/** A file that is named in a text. */
export interface Mention {
  from: number;
  to: number;
  /** What was typed of its path. */
  query: string;
}

/** Characters before and behind the cursor that can belong to a path. */
const MAX_LENGTH = 200;

/** Finds the file that is named behind an `@` where the cursor is. An e-mail address is none. */
export function findMention(text: string, cursor: number): Mention | undefined {
  const before = text.slice(Math.max(0, cursor - MAX_LENGTH), cursor);
  const found = /(?:^|\s)@(\S*)$/.exec(before);
  if (!found) return undefined;
  const [, query = ""] = found;
  const rest = /^\S*/.exec(text.slice(cursor, cursor + MAX_LENGTH))?.[0] ?? "";
  return { from: cursor - query.length - 1, to: cursor + rest.length, query };
}
