const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
const RANDOM_LENGTH = 24;

/**
 * Makes a new opaque id: `<prefix>_` and 24 random letters of a–z2–7 (120 bits). In a browser it
 * works only in a page over HTTPS or from `localhost`, as `crypto.randomUUID` does.
 *
 * @example createIdentifier("agt") // "agt_k3v…"
 */
export function createIdentifier(prefix: string): string {
  let text = `${prefix}_`;
  for (const digit of randomBits().toString(32).padStart(RANDOM_LENGTH, "0"))
    text += ALPHABET[parseInt(digit, 32)];
  return text;
}

/**
 * 120 random bits: those of a UUID (RFC 9562, section 5.4) without the two digits that tell its version and variant. Random
 * bytes for many UUIDs are fetched at once, which else costs more than all the rest.
 */
function randomBits(): bigint {
  const [first, second, third = "", fourth = "", fifth] = crypto
    .randomUUID()
    .split("-");
  return BigInt(
    `0x${first}${second}${third.slice(1)}${fourth.slice(1)}${fifth}`,
  );
}

/** Tells whether a text has the shape of an id with this prefix. What has not is 404 before anything is touched. */
export function isIdentifier(prefix: string, text: string): boolean {
  return (
    text.length === prefix.length + 1 + RANDOM_LENGTH &&
    text.startsWith(`${prefix}_`) &&
    /^[a-z2-7]+$/.test(text.slice(prefix.length + 1))
  );
}
