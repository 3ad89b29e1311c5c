/**
 * Ends what a growing Markdown text has only begun, so that it does not jump when the rest arrives: a link of which the
 * address is still coming is its words, an open `**` or backtick is closed, and a line that may become a rule, a list or
 * the underline of a heading is held back. Finished text is left as it is.
 */
export function healMarkdown(text: string): string {
  if (isInFence(text)) return text;
  const start = text.lastIndexOf("\n\n") + 1;
  const before = text.slice(0, start);
  return before + healBlock(text.slice(start));
}

/** A code block that is not closed takes everything as it is. */
function isInFence(text: string): boolean {
  let open: string | undefined;
  for (const [, fence = ""] of text.matchAll(/^ {0,3}(`{3,}|~{3,})/gm)) {
    if (open === undefined) open = fence;
    else if (fence[0] === open[0] && fence.length >= open.length)
      open = undefined;
  }
  return open !== undefined;
}

function healBlock(block: string): string {
  // One of these at the end of a paragraph would make it a heading for a moment.
  const whole = block.replace(/(^|\n)[ \t]*([-=*_#>+~`|]+|\d+[.)]?)$/, "$1");
  const codeFree = whole.replace(/(`+)(?:(?!\1)[\s\S])*\1/g, blank);
  const tick = codeFree.indexOf("`");
  if (tick >= 0) return closeCode(whole, tick);
  return closeEmphasis(closeLink(whole, codeFree));
}

const blank = (found: string) => " ".repeat(found.length);

function closeCode(block: string, tick: number): string {
  const ticks = /^`+/.exec(block.slice(tick))?.[0] ?? "`";
  // A backtick without anything behind it would be shown as an empty box.
  return block.length > tick + ticks.length
    ? block + ticks
    : block.slice(0, tick);
}

/** Shows a link's words alone until its address is whole. */
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
  let healed = block;
  for (const mark of ["**", "__", "~~"]) {
    const count = marks?.filter((found) => found === mark).length ?? 0;
    if (count % 2 === 0) continue;
    healed = healed.trimEnd().endsWith(mark)
      ? healed.trimEnd().slice(0, -mark.length)
      : `${healed.trimEnd()}${mark}`;
  }
  return healed;
}
