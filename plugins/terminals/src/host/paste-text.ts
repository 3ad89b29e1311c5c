/** Leaves out every control character but line ends and tabs: each could mean a key, or end a paste early. */
export function toPlain(text: string): string {
  // eslint-disable-next-line no-control-regex -- these are what it is about
  return text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g, "");
}

/** What the keyboard of a terminal sends for a paste. */
export function toPaste(text: string): string {
  const lines = toPlain(text).replaceAll("\r\n", "\n").replaceAll("\n", "\r");
  return `\x1b[200~${lines}\x1b[201~`;
}
