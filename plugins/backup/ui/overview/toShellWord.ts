/** Writes a path so that a shell takes it as one word. */
export function toShellWord(path: string): string {
  return /^[\w./:@%+,=-]+$/.test(path)
    ? path
    : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
