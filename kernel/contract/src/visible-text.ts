/**
 * A character that a reader cannot see or that reorders others: a control, a mark of direction, whatever Unicode lets a
 * renderer ignore (joiners, fillers, tags, variation selectors), a private-use character, half of a surrogate pair, and
 * any space but the plain one.
 */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2800]|(?! )\p{Zs}/u;

/**
 * Writes out each character of a text that a reader cannot see, such as `⟨U+202E⟩`, for a person who is to allow or
 * confirm what the text says. Line feeds and tabs stay. So do joiners and selectors inside an emoji that Unicode
 * recommends for interchange: such a sequence has one look, so nothing hides in it.
 *
 * Cut a text of unknown length first: the result may be nine times as long.
 *
 * @example toVisibleText("rm\u202e -rf"); // "rm⟨U+202E⟩ -rf"
 */
export function toVisibleText(text: string): string {
  if (!HIDDEN.test(text)) return text;
  // Made here, since the list of emoji takes 20 ms to compile and few programs need it. The runtime caches the result.
  const emojiOrHidden = new RegExp(
    `(?=\\p{Emoji})\\p{RGI_Emoji}|(?<hidden>${HIDDEN.source})`,
    "gv",
  );
  return text.replace(emojiOrHidden, (found, hidden: string | undefined) =>
    hidden === undefined || found === "\n" || found === "\t"
      ? found
      : `⟨U+${toCodePoint(found)}⟩`,
  );
}

function toCodePoint(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code.toString(16).toUpperCase().padStart(4, "0");
}
