const escapes: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  a: "\u0007",
  b: "\b",
  f: "\f",
  v: "\v",
};

/** A name as git quotes it where there are odd characters in it: bytes in octal, and escapes as in C. One that is not UTF-8 keeps its octal numbers. */
export function unquote(name: string): string {
  // A name with a space in it is followed by a tab.
  const plain = name.replace(/\t$/, "");
  if (!plain.startsWith('"')) return plain;
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (const [part, octal, letter] of plain
    .slice(1, -1)
    .matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/g)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else
      bytes.push(
        ...encoder.encode(letter ? (escapes[letter] ?? letter) : part),
      );
  }
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return decoder.decode(new Uint8Array(bytes));
  } catch {
    return bytes
      .map((byte) =>
        byte > 127 || byte === 92
          ? `\\${byte.toString(8)}`
          : String.fromCharCode(byte),
      )
      .join("");
  }
}
