/** A piece of a text in which what cannot be seen was written out. */
export interface VisiblePiece {
  text: string;
  /** `hidden` for a character that is written out, `space` for a line end or a tab that is drawn. */
  kind: "plain" | "hidden" | "space";
}

const marks = /⟨U\+[0-9A-F]{4,6}⟩|⏎(?=\n)|⇥(?=\t)/g;

/** Takes a text that the daemon made visible apart, so that what it wrote out can stand out. */
export function splitVisible(visible: string): VisiblePiece[] {
  const pieces: VisiblePiece[] = [];
  let end = 0;
  for (const { 0: mark, index } of visible.matchAll(marks)) {
    if (index > end)
      pieces.push({ text: visible.slice(end, index), kind: "plain" });
    pieces.push({ text: mark, kind: mark.length > 1 ? "hidden" : "space" });
    end = index + mark.length;
  }
  if (end < visible.length)
    pieces.push({ text: visible.slice(end), kind: "plain" });
  return pieces;
}
