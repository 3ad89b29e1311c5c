const NEWLINE = 0x0a;
const RETURN = 0x0d;
/** Escape, the two shifts of the character set, and the first byte of the control characters beyond ASCII. */
const NOT_PLAIN = [0x1b, 0x0e, 0x0f, 0xc2];

/** Whether output only writes text and moves down: nothing in it changes how later text is drawn. */
export function isPlain(chunk: Uint8Array): boolean {
  return NOT_PLAIN.every((byte) => chunk.indexOf(byte) < 0);
}

/**
 * Leaves out of plain output the lines at its beginning that so many later ones push out of sight for good. The screen is
 * the same in the end, and a flood costs next to nothing.
 */
export function dropScrolledOut(bytes: Uint8Array, lines: number): Uint8Array {
  let at = bytes.length;
  for (let line = 0; line <= lines; line++) {
    if (at <= 0) return bytes;
    at = bytes.lastIndexOf(NEWLINE, at - 1);
    if (at < 0) return bytes;
  }
  // Only here is the column known again.
  while (at > 0 && bytes[at - 1] !== RETURN)
    at = bytes.lastIndexOf(NEWLINE, at - 1);
  return at > 0 ? bytes.subarray(at + 1) : bytes;
}
