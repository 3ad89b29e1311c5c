const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Whether JSON has more than some levels of arrays and objects, without parsing it: `JSON.parse` takes 3 seconds for a million
 * levels, in which nothing else runs. What is no JSON may be taken for either.
 *
 * @example
 *   isDeeperThan(1, '{"a":[]}'); // true
 *   isDeeperThan(2, '{"a":[]}'); // false
 */
export function isDeeperThan(levels: number, text: string): boolean {
  // Each level takes a character.
  if (text.length <= levels) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++)
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at + 1);
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        if (++depth > levels) return true;
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        depth--;
        break;
    }
  return false;
}

/** Index of the closing quote, or the end of the text. */
function endOfString(text: string, start: number): number {
  let at = start;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) break;
    at += code === BACKSLASH ? 2 : 1;
  }
  return at;
}
