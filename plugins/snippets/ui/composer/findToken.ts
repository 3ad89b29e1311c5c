/** The part of a text in which a snippet is being named: `/snip:` and what follows it up to the cursor. */
export interface SnippetToken {
  from: number;
  to: number;
  /** What follows `/snip:`. */
  query: string;
}

export const tokenStart = "/snip:";
/** A slug has 64 characters at most; more than a line of them is something else. */
const longest = 120;

/** Finds the `/snip:` that the cursor is in or behind. White space ends it. */
export function findToken(
  text: string,
  cursor: number,
): SnippetToken | undefined {
  const from = text.lastIndexOf(tokenStart, cursor - tokenStart.length);
  if (from === -1 || cursor < from + tokenStart.length) return undefined;
  const query = text.slice(from + tokenStart.length, cursor);
  if (query.length > longest || /\s/.test(query)) return undefined;
  // What is behind the cursor belongs to it as long as it could be a slug.
  const rest = /^[\w-]*/.exec(text.slice(cursor, cursor + longest))?.[0] ?? "";
  return { from, to: cursor + rest.length, query };
}
