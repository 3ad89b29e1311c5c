/**
 * A character that is invisible or reorders others: controls, bidirectional marks, default-ignorable characters (joiners,
 * fillers, tags, variation selectors), private-use characters, lone surrogates, and all spaces but U+0020.
 */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\u2800]|(?! )\p{Zs}/u;

/**
 * Replaces each invisible character of a text with its code point, such as `⟨U+202E⟩`, for a user who has to approve the text.
 * Keeps line feeds and tabs, and joiners and selectors within an emoji that Unicode recommends for interchange, since such a
 * sequence has exactly one appearance.
 *
 * The result may be nine times as long; truncate a text of unknown length first.
 *
 * @example toVisibleText("rm\u202e -rf"); // "rm⟨U+202E⟩ -rf"
 */
export function toVisibleText(text: string): string {
  if (!HIDDEN.test(text)) return text;
  // Compiled on first use: the list of emoji takes 20 ms and few programs need it. The runtime caches the result.
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
