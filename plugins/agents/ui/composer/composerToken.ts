/** The part of a text that a list is about. */
export interface ComposerToken {
  from: number;
  to: number;
  /** What was typed of it. */
  query: string;
}

/** A path or a command is not longer; more is something else. */
const longest = 200;

/** The slash command that the cursor is in: only at the very beginning, and not one that has a list of its own. */
export function findCommand(
  text: string,
  cursor: number,
): ComposerToken | undefined {
  const [word = ""] = /^\/\S*/.exec(text) ?? [];
  if (word === "" || word.startsWith("/snip:")) return undefined;
  if (cursor < 1 || cursor > word.length || word.length > longest)
    return undefined;
  return { from: 0, to: word.length, query: word.slice(1, cursor) };
}

/** The file that is named behind an `@` where the cursor is. An address of mail is none. */
export function findMention(
  text: string,
  cursor: number,
): ComposerToken | undefined {
  const before = text.slice(Math.max(0, cursor - longest), cursor);
  const found = /(?:^|\s)@(\S*)$/.exec(before);
  if (!found) return undefined;
  const [, query = ""] = found;
  const rest = /^\S*/.exec(text.slice(cursor, cursor + longest))?.[0] ?? "";
  return { from: cursor - query.length - 1, to: cursor + rest.length, query };
}
