const MAX_TITLE_LENGTH = 200;

/** A title that a program chose, as it may be shown: one line, no control or direction characters, not too long. */
export function cleanTitle(title: string): string | null {
  const clean = title
    .slice(0, MAX_TITLE_LENGTH * 4)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, " ")
    .trim();
  return [...clean].slice(0, MAX_TITLE_LENGTH).join("") || null;
}
