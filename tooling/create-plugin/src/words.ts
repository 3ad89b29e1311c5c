/** Guesses the singular of an English word, `undefined` if it does not look like a plural. */
export function toSingular(word: string): string | undefined {
  if (/(ss|us|is)$/.test(word) || !/[a-z]{2}s$/.test(word)) return undefined;
  if (/[a-z]{2}ies$/.test(word)) return `${word.slice(0, -3)}y`;
  return /(ss|sh|ch|x|zz)es$/.test(word)
    ? word.slice(0, -2)
    : word.slice(0, -1);
}

/** Guesses the plural of an English word. */
export function toPlural(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(s|sh|ch|x|z)$/.test(word) ? `${word}es` : `${word}s`;
}

/** The indefinite article that is spoken before a word. */
export function toArticle(word: string): "a" | "an" {
  return /^(?!us[aeiou]|uni|eu|one)[aeiou]/.test(word) ? "an" : "a";
}
