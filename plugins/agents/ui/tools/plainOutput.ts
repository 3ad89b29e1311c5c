const escapes =
  // eslint-disable-next-line no-control-regex -- the escape sequences of terminals are what is looked for
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[@-Z\\-_])/g;
// eslint-disable-next-line no-control-regex -- control characters that a page cannot show
const controls = /[\u0000-\u0008\u000b-\u001a\u001c-\u001f\u007f]/g;

/** Converts terminal output to plain text: without escape sequences, and with the last version of each overwritten line. */
export function toPlainOutput(text: string): string {
  return text
    .replace(escapes, "")
    .replace(/\r\n/g, "\n")
    .replace(/^.*\r(?=.)/gm, "")
    .replace(controls, "");
}

/** The shown part of a text. */
export interface Clamped {
  shown: string;
  /** Number of lines not shown. */
  hidden: number;
}

/** This many extra lines are shown rather than hidden behind a button. */
const LINE_TOLERANCE = 5;

/** Returns the first lines of a text, with a limit on characters too. A text that fits, or nearly does, is returned whole. */
export function clampLines(text: string, lines: number): Clamped {
  const maxLength = lines * 200;
  if (
    text.length < maxLength &&
    countLines(text.trimEnd()) <= lines + LINE_TOLERANCE
  )
    return { shown: text, hidden: 0 };
  let at = -1;
  for (let count = 0; count < lines; count += 1) {
    at = text.indexOf("\n", at + 1);
    if (at < 0) break;
  }
  const end = Math.min(at < 0 ? text.length : at, maxLength);
  if (end >= text.trimEnd().length) return { shown: text, hidden: 0 };
  return {
    shown: text.slice(0, end),
    hidden: countLines(text.slice(end).trimEnd()) - 1 || 1,
  };
}

/** Returns the last lines of a text. */
export function lastLines(text: string, lines: number): string {
  const tail = text.slice(-lines * 200).trimEnd();
  return tail.split("\n").slice(-lines).join("\n");
}

/** Counts the lines of a text. */
export function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1))
    count += 1;
  return count;
}
