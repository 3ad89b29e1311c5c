const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const RANDOM_LENGTH = 24;

/**
 * Creates a random id: `<prefix>_` and 24 characters of a–z2–7 (120 bits).
 *
 * @example createIdentifier("agt") // "agt_k3v…"
 */
export function createIdentifier(prefix: string): string {
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_LENGTH));
  let text = `${prefix}_`;
  // 256 is a multiple of 32, so the low five bits are uniform.
  for (const byte of bytes) text += ALPHABET[byte & 31];
  return text;
}

/** Checks whether a text has the form of an id with this prefix. Does not check whether the resource exists. */
export function isIdentifier(prefix: string, text: string): boolean {
  return (
    text.length === prefix.length + 1 + RANDOM_LENGTH &&
    text.startsWith(`${prefix}_`) &&
    /^[a-z2-7]+$/.test(text.slice(prefix.length + 1))
  );
}
