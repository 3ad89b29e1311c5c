/**
 * Completes unfinished Markdown syntax at the end of a streamed text, so that the layout does not jump when the rest arrives:
 * - a link without its whole address becomes plain text;
 * - an open `**`, `__`, `~~` or backtick is closed;
 * - a last line that may become a rule, a list or the underline of a heading is left out.
 *
 * Complete Markdown is returned unchanged.
 */
export function completeMarkdown(text: string): string {
  if (isInFence(text)) return text;
  const start = text.lastIndexOf("\n\n") + 1;
  const before = text.slice(0, start);
  return before + completeBlock(text.slice(start));
}

/** Returns whether the text ends in an open code block, where nothing is Markdown. */
function isInFence(text: string): boolean {
  let open: string | undefined;
  for (const [, fence = ""] of text.matchAll(/^ {0,3}(`{3,}|~{3,})/gm)) {
    if (open === undefined) open = fence;
    else if (fence[0] === open[0] && fence.length >= open.length)
      open = undefined;
  }
  return open !== undefined;
}

function completeBlock(block: string): string {
  // At the end of a paragraph, one of these would briefly turn it into a heading.
  const whole = block.replace(/(^|\n)[ \t]*([-=*_#>+~`|]+|\d+[.)]?)$/, "$1");
  const codeFree = whole.replace(/(`+)(?:(?!\1)[\s\S])*\1/g, blank);
  const tick = codeFree.indexOf("`");
  if (tick >= 0) return closeCode(whole, tick);
  return closeEmphasis(closeLink(whole, codeFree));
}

const blank = (found: string) => " ".repeat(found.length);

function closeCode(block: string, tick: number): string {
  const ticks = /^`+/.exec(block.slice(tick))?.[0] ?? "`";
  // A backtick at the very end would be rendered as an empty box.
  return block.length > tick + ticks.length
    ? block + ticks
    : block.slice(0, tick);
}

/** Reduces a link to its text while its address is incomplete. */
function closeLink(block: string, codeFree: string): string {
  const open = /!?\[([^[\]]*)(?:\](?:\([^()\s]*(?:\s[^()]*)?)?)?$/.exec(
    codeFree,
  );
  if (!open || open[0].endsWith("]")) return block;
  const words = block.slice(open.index).replace(/^!?\[/, "");
  const end = words.indexOf("](");
  return block.slice(0, open.index) + (end < 0 ? words : words.slice(0, end));
}

function closeEmphasis(block: string): string {
  const marks = block
    .replace(/(`+)(?:(?!\1)[\s\S])*\1/g, blank)
    .match(/\*\*|(?<![\w*])__(?!\w*__\w)|~~/g);
  let completed = block;
  for (const mark of ["**", "__", "~~"]) {
    const count = marks?.filter((found) => found === mark).length ?? 0;
    if (count % 2 === 0) continue;
    completed = completed.trimEnd().endsWith(mark)
      ? completed.trimEnd().slice(0, -mark.length)
      : `${completed.trimEnd()}${mark}`;
  }
  return completed;
}
