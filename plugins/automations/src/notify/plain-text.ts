import { stripVTControlCharacters } from "node:util";

/** Beyond this, a character has only more combining marks. */
const MAX_CHARACTER_LENGTH = 64;
const WORD_JOINER = "\u2060";

/** Makes its segmenter in each call: one made at import would load 2 MB of Unicode data at each start. */
function splitIntoCharacters(text: string): Intl.Segments {
  return new Intl.Segmenter("en", { granularity: "grapheme" }).segment(text);
}

/** A text without what steers a screen or turns the order of its letters round; what is no Unicode is replaced. */
export function toPlainText(text: string): string {
  return (
    stripVTControlCharacters(text.replace(/\p{Surrogate}/gu, "\ufffd"))
      .replace(/\r\n?/g, "\n")
      // eslint-disable-next-line no-control-regex -- control characters are what is taken out
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "")
      .replace(/[\u202a-\u202e\u2066-\u2069]/g, "")
      .trim()
  );
}

/** Cuts a text to at most `max` characters as a reader counts them, including the ellipsis in place of the rest. */
export function clipText(text: string, max: number): string {
  // A reader's character has at least one UTF-16 unit, so that this text fits without splitting it.
  if (text.length <= max) return text;
  const kept: string[] = [];
  for (const { segment } of splitIntoCharacters(text)) {
    if (kept.length === max) return `${kept.slice(0, -1).join("")}…`;
    kept.push(
      segment.length > MAX_CHARACTER_LENGTH
        ? [...segment].slice(0, MAX_CHARACTER_LENGTH / 2).join("")
        : segment,
    );
  }
  return kept.join("");
}

/** Defuses what would notify everyone in a chat, or hide an address behind a word or a picture. */
export function defuse(text: string): string {
  return text
    .replace(/@(?=(?:all|channel|everyone|here)\b)/gi, `@${WORD_JOINER}`)
    .replaceAll("](", `]${WORD_JOINER}(`);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
};

/** Escapes what stands for links and mentions in chat markup. */
export function escapeText(text: string): string {
  return text.replace(/[&<>]/g, (sign) => ENTITIES[sign]!);
}

/** Escapes a text in pieces of at most `most` UTF-16 units, split at line ends if possible and never within a character. */
export function escapeInPieces(text: string, most: number): string[] {
  const pieces: string[] = [];
  let piece = "";
  for (const { segment } of splitIntoCharacters(text)) {
    const next = escapeText(segment);
    if (piece.length + next.length > most) {
      const end = piece.lastIndexOf("\n") + 1;
      const cut = end > most / 2 ? end : piece.length;
      pieces.push(piece.slice(0, cut));
      piece = piece.slice(cut);
    }
    piece += next;
  }
  if (piece !== "") pieces.push(piece);
  return pieces;
}
