/** Maximum length of a stored address, in characters. */
export const MAX_URL_LENGTH = 2048;

/** A character that a reader cannot see, but for spaces. */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;
/** A character that a reader can see. */
const VISIBLE = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u;
/** Marks that reorder the text around them. */
const BIDI_CONTROLS = /\p{Bidi_Control}/gu;

/**
 * Converts text from a page into one line: control characters and line breaks become spaces, and bidirectional marks
 * are removed. Joiners stay, since some languages and emoji need them; a line without any visible character is empty.
 *
 * @param max Length at which it is cut, in UTF-16 code units.
 */
export function toLine(text: string, max: number): string {
  const line = text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+ */gu, " ")
    .replace(BIDI_CONTROLS, "")
    .trim();
  return cut(line, max).trim();
}

/** As {@link toLine} for text of several lines: line breaks and tabs are kept. */
export function toText(text: string, max: number): string {
  const lines = text
    .replace(/\r\n?|[\u2028\u2029]/gu, "\n")
    .replace(/(?![\n\t])\p{Cc}/gu, "")
    .replace(BIDI_CONTROLS, "");
  return cut(lines, max);
}

/** Cuts text, replaces what is then half of a surrogate pair, and empties what cannot be seen. */
function cut(text: string, max: number): string {
  const short = text.slice(0, max).toWellFormed();
  return VISIBLE.test(short) ? short : "";
}

/**
 * The address as it is stored: http or https in the form of the URL standard, without user name and password, which
 * must not appear in a list.
 *
 * @returns `undefined` for another scheme, for more than 2,048 characters, and for characters that a reader cannot see,
 *   which the URL standard partly drops, so that the address would be another one than it seemed
 */
export function toWebUrl(text: string): string | undefined {
  if (text.length > MAX_URL_LENGTH || HIDDEN.test(text)) return undefined;
  const url = URL.parse(text);
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:"))
    return undefined;
  url.username = "";
  url.password = "";
  return url.href.length > MAX_URL_LENGTH ? undefined : url.href;
}

/** The origin of a web address that consists of nothing else, such as `https://example.com`. */
export function toOrigin(text: string): string | undefined {
  const url = toWebUrl(text);
  if (url === undefined) return undefined;
  const { origin, href } = new URL(url);
  return href === `${origin}/` ? origin : undefined;
}

/**
 * Creates a predicate for `q`: every word of it occurs in one of the texts, ignoring case.
 *
 * @returns `undefined` if `q` has no words, so that a listing need not read records to filter them
 */
export function createMatcher(
  q = "",
): ((texts: readonly (string | null)[]) => boolean) | undefined {
  const words = q.toLowerCase().split(/\s+/u).filter(Boolean);
  if (words.length === 0) return undefined;
  return (texts) => {
    const all = texts.join("\n").toLowerCase();
    return words.every((word) => all.includes(word));
  };
}
