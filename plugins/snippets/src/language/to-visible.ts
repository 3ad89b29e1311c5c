/** Characters that cannot be seen or that change how others are: controls, marks of direction, joiners, odd spaces. */
const UNSEEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u115f\u1160\u2028\u2029\u3164\uffa0]|(?! )\p{Zs}/gu;

/**
 * A text in which nothing hides, for somebody who is to confirm it: what cannot be seen is written out as `⟨U+202E⟩`, a
 * tab as `⇥` and the end of a line as `⏎`, which the line then ends with.
 */
export function toVisible(text: string): string {
  return text.replace(UNSEEN, (character) => {
    if (character === "\n") return "⏎\n";
    if (character === "\t") return "⇥\t";
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
    return `⟨U+${code.padStart(4, "0")}⟩`;
  });
}

/** Control characters other than the end of a line and the tab, which a terminal would take for keys. */
export function hasControl(text: string): boolean {
  return /[^\P{Cc}\n\t]/u.test(text);
}
