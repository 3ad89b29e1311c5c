/** Longest slug. */
export const MAX_SLUG_LENGTH = 64;

/** Text beyond this is ignored: a character can become eighteen when it is normalized. */
const MAX_INPUT_LENGTH = 1000;

/**
 * The slug that a user or a caller wrote, as it is stored and compared: compatible forms of letters are one, and so are upper and
 * lower case. `undefined` if it is none: 1 to 64 of `a-z`, `0-9` and `-`.
 */
export function readSlug(given: string): string | undefined {
  if (given.length > MAX_INPUT_LENGTH) return undefined;
  const slug = given.normalize("NFKC").toLowerCase();
  return slug.length <= MAX_SLUG_LENGTH && /^[a-z0-9-]+$/.test(slug)
    ? slug
    : undefined;
}

/** The slug that a title gives, without marks on letters; `snippet` if there is no letter that a slug can have. */
export function toSlug(title: string): string {
  const words = title
    .slice(0, MAX_INPUT_LENGTH)
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return words.slice(0, MAX_SLUG_LENGTH).replace(/-+$/, "") || "snippet";
}

/** A slug with a number, such as `review-2`, cut so that it fits. */
export function withNumber(slug: string, number: number): string {
  const end = `-${number}`;
  return `${slug.slice(0, MAX_SLUG_LENGTH - end.length).replace(/-+$/, "")}${end}`;
}
