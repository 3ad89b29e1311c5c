import { randomBytes } from "node:crypto";

/**
 * Encloses a text of a prompt between two marked lines that it cannot contain, so that nothing in it can pass for what is
 * said around it. Name text from outside `UNTRUSTED DATA`: the conversation folds it, and the practice agent obeys no marker
 * in it.
 *
 * @param name What the text is, in capitals.
 * @example encloseText("UNTRUSTED DATA", body)
 */
export function encloseText(name: string, text: string): string {
  const mark = createMark(text);
  return [
    `----- BEGIN ${name} ${mark} -----`,
    text,
    `----- END ${name} ${mark} -----`,
  ].join("\n");
}

function createMark(text: string): string {
  for (;;) {
    const mark = randomBytes(16).toString("hex");
    if (!text.includes(mark)) return mark;
  }
}
