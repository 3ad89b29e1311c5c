/** Maximum length of a stored address. */
export const MAX_URL_LENGTH = 2048;

/** Bidirectional control characters, which would reorder the text around them, and characters without width. */
const INVISIBLE =
  /[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;

/**
 * Converts text from a page into one visible line: control characters become spaces, bidirectional marks are removed.
 *
 * @param max Length at which it is cut, in UTF-16 code units.
 */
export function toLine(text: string, max: number): string {
  const line = text
    .slice(0, 4 * max)
    .replace(/\p{Cs}/gu, "\ufffd")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+ */gu, " ")
    .replace(INVISIBLE, "")
    .trim();
  return cut(line, max);
}

/** As {@link toLine} for text of several lines: line feeds and tabs are kept. */
export function toText(text: string, max: number): string {
  const plain = text
    .slice(0, 4 * max)
    .replace(/\p{Cs}/gu, "\ufffd")
    .replace(/\r\n?|[\u2028\u2029]/gu, "\n")
    .replace(/(?![\n\t])\p{Cc}/gu, "")
    .replace(INVISIBLE, "");
  return cut(plain, max);
}

/** Cuts text without splitting a surrogate pair. */
function cut(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, max).replace(/\p{Cs}$/u, "");
}

/**
 * The address as it is stored: http or https, without user name and password, which must not appear in a list.
 *
 * @returns `undefined` for an address that is not stored: another scheme, too long, or with invisible characters
 */
export function toWebUrl(text: string): string | undefined {
  if (text.length > MAX_URL_LENGTH || hasHidden(text)) return undefined;
  const url = URL.parse(text);
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:"))
    return undefined;
  url.username = "";
  url.password = "";
  return url.href.length > MAX_URL_LENGTH ? undefined : url.href;
}

function hasHidden(text: string): boolean {
  return /[\p{Cc}\p{Cs}]/u.test(text) || text.search(INVISIBLE) >= 0;
}

/** The origin of an http or https address that consists of an origin only. */
export function toOrigin(text: string): string | undefined {
  const url = toWebUrl(text);
  if (url === undefined) return undefined;
  const { origin, pathname, search, hash } = new URL(url);
  return pathname === "/" && search === "" && hash === "" ? origin : undefined;
}

/**
 * Creates a predicate for `q`: every word of it occurs in one of the texts, ignoring case.
 *
 * @returns `undefined` if `q` has no words, so that a listing need not read records to filter them
 */
export function createMatcher(
  q: string | undefined,
): ((...texts: (string | null)[]) => boolean) | undefined {
  const words = q?.toLowerCase().split(/\s+/u).filter(Boolean) ?? [];
  if (words.length === 0) return undefined;
  return (...texts) => {
    const all = texts.join("\n").toLowerCase();
    return words.every((word) => all.includes(word));
  };
}
