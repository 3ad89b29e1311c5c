const escapes =
  // eslint-disable-next-line no-control-regex -- the escape sequences of terminals are what is looked for
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;
// eslint-disable-next-line no-control-regex -- control characters that a page cannot show
const controls = /[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f]/g;

/** What a program wrote for a terminal, as plain text: without colours, and of a line that was overwritten its last form. */
export function toPlainOutput(text: string): string {
  return text
    .replace(escapes, "")
    .replace(/\r\n/g, "\n")
    .replace(/^.*\r(?=.)/gm, "")
    .replace(controls, "");
}

/** A text of which only a part is shown. */
export interface Clamped {
  shown: string;
  /** Lines that are not shown. */
  hidden: number;
}

/** So few more lines are shown rather than hidden behind a button. */
const tolerance = 5;

/** The first lines of a text, none of them endless. What fits, or nearly does, is given whole. */
export function clampLines(text: string, lines: number): Clamped {
  const longest = lines * 200;
  if (text.length < longest && countLines(text.trimEnd()) <= lines + tolerance)
    return { shown: text, hidden: 0 };
  let at = -1;
  for (let count = 0; count < lines; count += 1) {
    at = text.indexOf("\n", at + 1);
    if (at < 0) break;
  }
  const end = Math.min(at < 0 ? text.length : at, longest);
  if (end >= text.trimEnd().length) return { shown: text, hidden: 0 };
  return {
    shown: text.slice(0, end),
    hidden: countLines(text.slice(end).trimEnd()) - 1 || 1,
  };
}

/** The last lines of a text, for one that is still growing. */
export function lastLines(text: string, lines: number): string {
  const tail = text.slice(-lines * 200).trimEnd();
  return tail.split("\n").slice(-lines).join("\n");
}

/** Number of lines of a text. */
export function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1))
    count += 1;
  return count;
}
