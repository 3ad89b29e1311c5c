const MAX_TITLE_LENGTH = 200;
/** Longest body in characters. A longer answer is whole in the agent's conversation. */
const MAX_BODY_LENGTH = 32_768;
const MAX_FENCE_LENGTH = 64;

/** One line of plain text. */
export function toTitle(text: string): string {
  // Control characters, and the marks that turn the direction of what stands after them.
  const plain = text.replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069]+/gu, " ");
  const line = plain.replace(/\s+/g, " ").trim();
  return line.length <= MAX_TITLE_LENGTH
    ? line
    : `${cut(line, MAX_TITLE_LENGTH - 1)}…`;
}

/** Whether a text fits into a title whole. */
export function fitsTitle(text: string): boolean {
  return toTitle(text) === text;
}

/** Markdown of a bounded length. */
export function toBody(markdown: string): { body: string; truncated: boolean } {
  const body = cut(markdown, MAX_BODY_LENGTH);
  return { body, truncated: body.length < markdown.length };
}

/** Plain text as a Markdown block that shows it as it is, whatever it contains. */
export function toCodeBlock(text: string): string {
  // A fence ends only at a run at least as long as the one that began it.
  const body = text.replace(/`{64,}/g, (run) =>
    run.slice(0, MAX_FENCE_LENGTH - 1),
  );
  const runs = [...body.matchAll(/`{3,}/g)].map(([run]) => run.length);
  const fence = "`".repeat(
    runs.reduce((longest, run) => Math.max(longest, run + 1), 3),
  );
  return `${fence}\n${body}\n${fence}`;
}

/** Plain text as Markdown that shows it as it is, with its line breaks. */
export function toParagraphs(text: string): string {
  const marks = /[\\`*_{}[\]()#+\-.!|<>~&:@=]/g;
  return text
    .replace(marks, "\\$&")
    .replace(/^[ \t]+/gm, "")
    .replace(/(?<!\n)\n(?!\n)/g, "\\\n");
}

/** Cuts without leaving half of a surrogate pair. */
export function cut(text: string, length: number): string {
  const short = text.slice(0, length);
  return /[\ud800-\udbff]$/.test(short) ? short.slice(0, -1) : short;
}
