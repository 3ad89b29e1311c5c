/** Half a pair of surrogates, which no text in UTF-8 can have. */
const HALF = /\p{Surrogate}/u;

/** Whether a text can be written in UTF-8 as it is. */
export function isWellFormed(text: string): boolean {
  return !HALF.test(text);
}
