/** A slash command in a text. */
export interface CommandToken {
  from: number;
  to: number;
  /** The part before the cursor, without the slash. */
  query: string;
}

/** Longer words are not commands. */
const MAX_LENGTH = 200;

/** Finds the slash command at the cursor: only at the start of the text, and not `/snip:`, which has a menu of its own. */
export function findCommand(
  text: string,
  cursor: number,
): CommandToken | undefined {
  const [word = ""] = /^\/\S*/.exec(text) ?? [];
  if (word === "" || word.startsWith("/snip:")) return undefined;
  if (cursor < 1 || cursor > word.length || word.length > MAX_LENGTH)
    return undefined;
  return { from: 0, to: word.length, query: word.slice(1, cursor) };
}
