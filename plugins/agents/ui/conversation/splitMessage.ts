/** A message, and the text from outside that stands in it. */
export interface SplitMessage {
  /** What its sender wrote, and all that could not be told from it. */
  said: string;
  /** The texts between the marked lines of `encloseText`. */
  data: string[];
}

const BEGIN = /^----- BEGIN UNTRUSTED DATA ([0-9a-f]{32}) -----$/m;

/** Takes the text from outside out of a message, such as what was read from a page or sent to a webhook. */
export function splitMessage(text: string): SplitMessage {
  const said: string[] = [];
  const data: string[] = [];
  let rest = text;
  for (;;) {
    const begin = BEGIN.exec(rest);
    if (!begin) break;
    const end = `\n----- END UNTRUSTED DATA ${begin[1]} -----`;
    const from = begin.index + begin[0].length;
    const to = rest.indexOf(end, from);
    // Not enclosed: it is shown as it is.
    if (to < 0) break;
    said.push(rest.slice(0, begin.index).trimEnd());
    data.push(rest.slice(from + 1, to));
    rest = rest.slice(to + end.length).trimStart();
  }
  const all = data.length === 0 ? [text] : [...said, rest];
  return { said: all.filter((part) => part !== "").join("\n\n"), data };
}
