import { h, type VNodeChild } from "vue";

const longWord = /[\x21-\x7e]{240,}/g;
const pieceLength = 80;

/**
 * Gives a text with places at which a very long word may end its line. Without them the browser shapes such a word again
 * for each of its lines, which takes seconds for the few thousand characters of a divider or of encoded data. What is
 * copied from the page is unchanged.
 */
export function breakLongWords(text: string): VNodeChild {
  const parts: VNodeChild[] = [];
  let end = 0;
  for (const { 0: word, index } of text.matchAll(longWord)) {
    parts.push(text.slice(end, index));
    for (let at = 0; at < word.length; at += pieceLength)
      parts.push(word.slice(at, at + pieceLength), h("wbr"));
    end = index + word.length;
  }
  return end === 0 ? text : [...parts, text.slice(end)];
}
