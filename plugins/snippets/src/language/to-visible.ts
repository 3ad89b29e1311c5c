import { toVisibleText } from "@gantry/plugin";

/**
 * A text to the letter, for a person who is to confirm it: what cannot be seen is written out as `⟨U+202E⟩`, a tab as
 * `⇥` and the end of a line as `⏎`, which the line then ends with.
 */
export function toVisible(text: string): string {
  return toVisibleText(text).replace(/[\n\t]/g, (space) =>
    space === "\n" ? "⏎\n" : "⇥\t",
  );
}

/** Control characters other than the end of a line and the tab, which a terminal would take for keys. */
export function hasControl(text: string): boolean {
  return /[^\P{Cc}\n\t]/u.test(text);
}
