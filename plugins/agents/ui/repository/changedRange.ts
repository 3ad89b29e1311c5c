/** A part of a text. */
export interface Range {
  from: number;
  to: number;
}

const isWord = (char: string | undefined) =>
  char !== undefined && /[\p{L}\p{N}_$]/u.test(char);

/**
 * What differs in a line from the one that it replaced: all between the beginning and the end that both have, in whole words.
 * `undefined` for one of them where nothing differs, and for both where they have hardly anything in common.
 */
export function changedRange(
  before: string,
  after: string,
): { before: Range | undefined; after: Range | undefined } {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (
    end < shorter - start &&
    before[before.length - 1 - end] === after[after.length - 1 - end]
  )
    end += 1;
  while (
    start > 0 &&
    isWord(before[start - 1]) &&
    (isWord(before[start]) || isWord(after[start]))
  )
    start -= 1;
  while (
    end > 0 &&
    isWord(before[before.length - end]) &&
    (isWord(before[before.length - end - 1]) ||
      isWord(after[after.length - end - 1]))
  )
    end -= 1;
  const kept = before.slice(0, start) + before.slice(before.length - end);
  if (kept.trim() === "") return { before: undefined, after: undefined };
  const toRange = (text: string) =>
    start < text.length - end
      ? { from: start, to: text.length - end }
      : undefined;
  return { before: toRange(before), after: toRange(after) };
}
