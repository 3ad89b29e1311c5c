/** Half a surrogate pair, which UTF-8 cannot encode. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Whether a text can be encoded in UTF-8 without loss. */
export function isWellFormed(text: string): boolean {
  return !LONE_SURROGATE.test(text);
}
